import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { type Duplex, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { WebSocket, WebSocketServer } from 'ws';
import { replacing } from '../../../../lib/features/proxy/replacements.js';
import { as } from '../../../helpers/people.js';
import { rawExchange } from '../../../helpers/raw.js';
import { until } from '../../../helpers/waiting.js';
import { serviceProxies } from './services.js';

// `/proxy/services/{name}/...`: pages, their cookies and redirects, and WebSockets, in all three hosts.

const ada = as('ada').headers;
const text = async (stream: AsyncIterable<Buffer>) => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

async function ask(
  url: string,
  more: { method?: string; headers?: Record<string, string>; body?: string } = {},
) {
  const { method = 'GET', headers = {}, body } = more;
  const req = request(url, { method, agent: false, headers: { ...ada, ...headers } });
  req.end(body);
  const [res] = await once(req, 'response');
  const { statusCode, headers: answered }: IncomingMessage = res;
  return { status: statusCode, headers: answered, text: await text(res) };
}

/** Whether the system asks now and then if the other side of a connection of this port is still there. */
function isWatched(port: number): boolean {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const lines = ['tcp', 'tcp6'].flatMap((table) => readFileSync(`/proc/net/${table}`, 'utf8').split('\n'));
  // Established, with the timer of keep-alive.
  const idle = new RegExp(`:${hex} \\S+ 01 \\S+ 02:|:\\w{4} \\w+:${hex} 01 \\S+ 02:`);
  return lines.some((line) => idle.test(line));
}

/** Through `replaceStrings`, in one piece or byte by byte. */
async function through(
  body: string,
  replacements: Parameters<typeof replacing>[0],
  chunkLength = body.length,
  path = '/',
): Promise<string> {
  const transform = replacing(replacements, { contentType: 'text/html', path });
  if (!transform) return body;
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; at += chunkLength)
    chunks.push(Buffer.from(body.slice(at, at + chunkLength)));
  return text(Readable.from(chunks).compose(transform));
}

t.test(
  'whatever is replaced, others get their turn, and no body becomes more than the gateway can hold',
  async (t) => {
    const table: [string, string, string, string][] = [
      ['[a-c]', '<$&>', 'xabx', 'x<a><b>x'],
      ['(a)(b)?', '[$1$2$3$12$$]', 'xax', 'x[a$3a2$]x'],
      ['^a', 'b', `${'aaaa '.repeat(1000)}`, `b${'aaaa '.repeat(1000).slice(1)}`],
      ['\\bcat', 'dog', `${'cat concat '.repeat(2000)}`, 'dog concat '.repeat(2000)],
      [`${'long '.repeat(39)}x`, 'y', `${'long '.repeat(39)}x`.repeat(150), 'y'.repeat(150)],
      ['x*', '-', 'ab', '-a-b-'],
    ];
    for (const [matchText, replaceText, body, wanted] of table) {
      const replacements = [{ matchText, replaceText }];
      for (const chunkLength of [body.length, 1000]) {
        t.equal(await through(body, replacements, chunkLength), wanted, matchText);
      }
    }

    // Each of 100 patterns looks at all that follows, from everywhere: that takes a while.
    const slow = replacing(Array(100).fill({ matchText: 'a(.*b)?', replaceText: 'a' }), {
      contentType: 'text/html',
      path: '/',
    });
    slow?.on('error', () => {});
    slow?.write(Buffer.from('a'.repeat(40_000)));
    for (let turns = 0; turns < 20; turns++) await setImmediate();
    t.equal(slow?.readableLength, 0, 'others had many turns, and nothing is done yet');
    slow?.destroy();

    const large = '[^/]{1,990}[xy]';
    const paths: [string, string, string][] = [
      ['^/app/.*[.]html$', `/app/${'a'.repeat(5000)}.html`, 'b'],
      [large, `/${'a'.repeat(200)}x`, 'b'],
      [large, `/${'a'.repeat(7900)}x`, 'a'],
    ];
    for (const [matchUrl, path, wanted] of paths) {
      const replacements = [{ matchUrl, matchText: 'a', replaceText: 'b' }];
      t.equal(await through('a', replacements, 1, path), wanted, `${matchUrl} on ${path.length} characters`);
    }

    const grows = { matchText: '[a-z]*', replaceText: 'x'.repeat(8192) };
    await t.rejects(through('a1'.repeat(16_000), [grows]), /far more of a body/);
    const doubles = Array(100).fill({ matchText: 'a', replaceText: 'aa' });
    await t.rejects(through('a'.repeat(1000), doubles), /far more of a body/);
    t.equal((await through('<head>', [{ matchText: '>', replaceText: 'x'.repeat(8192) }])).length, 8197);
  },
);

t.test('in every host', async (t) => {
  const place = await serviceProxies(t);
  const sockets = new WebSocketServer({ noServer: true });
  const others: Record<string, (socket: Duplex) => void> = {
    '/app/none': (socket) => socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n'),
    '/app/closes': (socket) => socket.destroy(),
    '/app/garbage': (socket) => socket.end('101 welcome\r\n\r\n'),
    '/app/hangs': (socket) => socket.resume().once('end', () => socket.destroy()),
  };
  place.web.on('upgrade', (req, socket, head) => {
    const other = others[req.url ?? ''];
    if (other) other(socket);
    else sockets.handleUpgrade(req, socket, head, (one) => sockets.emit('connection', one, req));
  });
  const upgrades: IncomingMessage[] = [];
  sockets.on('connection', (socket, req) => {
    upgrades.push(req);
    socket.send('welcome');
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
  });
  t.teardown(() => sockets.close());

  for (const [host, url] of Object.entries(place.hosts)) {
    const prefix = new URL(url).pathname.replace(/\/$/, '');
    const at = `${url}/proxy/services/web`;
    await t.test(host, async (t) => {
      await t.test('methods, names, and what is not there', async (t) => {
        place.listener = async (req, res) => res.end(`${req.method} ${req.url} ${await text(req)}`);
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
          const body = method === 'GET' ? '' : 'x';
          const headers: Record<string, string> = body ? { 'content-length': '1' } : {};
          t.equal(
            (await ask(`${at}/a%2Fb?token=1&q=2`, { method, body, headers })).text,
            `${method} /app/a%2Fb?token=1&q=2 ${body}`,
          );
        }
        t.equal((await ask(`${url}/proxy/services/w/`)).text, 'GET /app/ ');
        t.match(await ask(`${at}?a=1`), { status: 307, headers: { location: './web/?a=1' } });
        t.match(await ask(`${url}/proxy/services/none/`), { status: 404 });
        t.match(await ask(`${url}/proxy/services/idle/`), { status: 503 });
        t.match(await ask(`${at}/`, { method: 'OPTIONS' }), { status: 405 });
        const raw = await rawExchange(url, `GET ${prefix}/proxy/services/web/../../../secret`, [
          'x-user: ada',
        ]);
        t.equal(raw.status, 400);
        const other = await rawExchange(url, `GET ${prefix}/proxy/services/idle/../web/x`, ['x-user: ada']);
        t.equal(other.text, 'GET /app/x ');
      });

      await t.test(
        'credentials of the gateway stay here, cookies of the service live below its path',
        async (t) => {
          let seen: IncomingMessage['headers'] = {};
          place.wishes = { requestHeaders: { Authorization: 'Basic for-the-service', 'X-Wish': '1' } };
          place.listener = (req, res) => {
            seen = req.headers;
            res.setHeader('set-cookie', [
              'sid=1; Path=/app; HttpOnly',
              'a=b; path=/app/x; Domain=evil.example',
              'headgate_session=x; Path=/',
              'r=1; Path=/; Secure',
              'plain=1',
            ]);
            res.setHeader('strict-transport-security', 'max-age=1');
            res.end();
          };
          const { headers } = await ask(`${at}/x`, {
            headers: {
              cookie: 'headgate_session=secret; sid=1; other=2',
              authorization: 'Bearer secret',
              origin: new URL(url).origin,
              referer: `${url}/`,
              'x-custom': 'yes',
              'x-proof': 'secret',
              'x-proxy-secret': 'secret',
              'cf-access-jwt-assertion': 'secret',
              'x-goog-iap-jwt-assertion': 'secret',
              'x-amzn-oidc-data': 'secret',
              'x-ms-token-aad-id-token': 'secret',
            },
          });
          t.match(seen, {
            cookie: 'sid=1; other=2',
            authorization: 'Basic for-the-service',
            'x-wish': '1',
            'x-custom': 'yes',
            origin: place.webUrl,
            host: new URL(place.webUrl).host,
            'x-forwarded-prefix': `${prefix}/proxy/services/web`,
            referer: undefined,
          });
          t.notMatch(JSON.stringify(seen), /secret/, 'nor what a server in front proves itself with');
          const own = `${prefix}/proxy/services/web`;
          t.strictSame(headers['set-cookie'], [
            `sid=1; Path=${own}/; HttpOnly`,
            `a=b; Path=${own}/x`,
            `r=1; Path=${own}/; Secure`,
            'plain=1',
          ]);
          t.equal(headers['strict-transport-security'], undefined);
          place.wishes = {};
        },
      );

      await t.test(
        'redirects are followed at the service, and passed on where that would not do',
        async (t) => {
          let asked = 0;
          place.listener = async (req, res) => {
            asked++;
            const to = (status: number, location: string, more = {}) =>
              res.writeHead(status, { location, ...more }).end();
            if (req.url === '/app/loop') to(302, '/app/loop');
            else if (req.url === '/app/start') to(302, 'middle?x=1');
            else if (req.url === '/app/middle?x=1') to(301, `${place.webUrl}/app/deep/end`);
            else if (req.url === '/app/form') to(303, '/app/deep/end');
            else if (req.url === '/app/login') to(302, '/app/deep/end', { 'set-cookie': 'sid=1' });
            else if (req.url === '/app/away') to(302, 'https://example.org/x');
            else if (req.url === '/app/outside') to(302, '/other');
            else if (req.url === '/app/keep') to(307, '/app/deep/end');
            else res.end(`${req.method} ${req.url} ${req.headers['content-type'] ?? ''}`);
          };
          t.equal((await ask(`${at}/start`)).text, 'GET /app/deep/end ');
          const form = {
            method: 'POST',
            body: 'a=1',
            headers: { 'content-type': 'text/plain', 'content-length': '3' },
          };
          t.equal((await ask(`${at}/form`, form)).text, 'GET /app/deep/end ');
          t.match(await ask(`${at}/login`), { status: 302, headers: { location: './deep/end' } });
          t.match(await ask(`${at}/keep`, form), { status: 307, headers: { location: './deep/end' } });
          t.match(await ask(`${at}/away`), { status: 302, headers: { location: 'https://example.org/x' } });
          asked = 0;
          t.match(await ask(`${at}/loop`), { status: 502, text: /more than 10 times/ });
          t.equal(asked, 11);
          place.wishes = { followRedirect: false };
          t.match(await ask(`${at}/loop`), { status: 302, headers: { location: './loop' } });
          t.match(await ask(`${at}/start`), { status: 302, headers: { location: './middle?x=1' } });
          place.wishes = {};
        },
      );

      await t.test('text is replaced on its way, other things are not', async (t) => {
        place.wishes = {
          replaceStrings: [
            { matchText: '"/static/([a-z]+)"', replaceText: '"static/$1"' },
            { matchMime: 'text/css', matchText: 'red', replaceText: 'blue' },
            { matchUrl: '^/only', matchText: 'here', replaceText: 'there' },
          ],
        };
        const types: Record<string, string> = { css: 'text/css', png: 'image/png' };
        place.listener = (req, res) => {
          const type = types[req.url?.split('.')[1] ?? ''] ?? 'text/html; charset=utf-8';
          res.writeHead(200, { 'content-type': type, etag: '"1"' });
          res.end(`<a href="/static/grün"> <a href="/static/abc"> red here\n`.repeat(2000));
        };
        const html = await ask(`${at}/a.html`);
        t.equal(html.text, `<a href="/static/grün"> <a href="static/abc"> red here\n`.repeat(2000));
        t.match((await ask(`${at}/only/a.html`)).text, /red there/);
        t.match((await ask(`${at}/a.css`)).text, /"static\/abc"> blue here/);
        t.match((await ask(`${at}/a.png`)).text, /"\/static\/abc"> red here/);
        place.wishes = {};
      });

      await t.test('WebSockets', async (t) => {
        const socketUrl = `${at.replace('http', 'ws')}/socket`;
        const open = (more: Record<string, string> = {}) =>
          new WebSocket(socketUrl, { headers: { ...ada, cookie: 'headgate_session=x; sid=2', ...more } });
        const socket = open({ origin: new URL(url).origin });
        const heard: string[] = [];
        socket.on('message', (data) => heard.push(String(data)));
        await once(socket, 'open');
        const large = 'x'.repeat(1_000_000);
        socket.send('hello');
        socket.send(large);
        await until(
          async () => heard.length,
          (count) => count === 3,
        );
        t.strictSame(heard, ['welcome', 'hello', large]);
        t.match(upgrades.at(-1)?.headers, { cookie: 'sid=2', origin: place.webUrl, 'x-user': 'ada' });

        const ports = [Number(new URL(url).port), Number(new URL(place.webUrl).port)];
        const watched = await until(
          async () => ports.map(isWatched),
          (all) => all.every(Boolean),
        );
        t.ok(watched.every(Boolean), 'a side that vanishes is noticed');

        const refused = async (socket: WebSocket) => {
          const [, res] = await once(socket, 'unexpected-response');
          return res.statusCode;
        };
        t.equal(await refused(open({ origin: 'https://evil.example' })), 403);
        t.equal(await refused(new WebSocket(socketUrl)), 401);
        t.equal(await refused(new WebSocket(socketUrl.replace('web', 'idle'), { headers: ada })), 503);
        place.listener = (_, res) => res.writeHead(418).end('a teapot');
        t.equal(await refused(new WebSocket(socketUrl.replace('socket', 'none'), { headers: ada })), 400);

        for (const [path, status] of [
          ['closes', 502],
          ['garbage', 502],
          ['hangs', 504],
        ] as const) {
          const at = socketUrl.replace('socket', path);
          t.equal(await refused(new WebSocket(at, { headers: ada })), status, path);
        }

        const more = [open(), open()];
        for (const one of more) await once(one, 'open');
        t.equal(await refused(open()), 429, 'so many and no more');
        const closed = [socket, ...more].map((one) => once(one, 'close'));
        place.proxy.tunnels.rightsChanged('ada');
        await Promise.all(closed);
        const again = open();
        await once(again, 'open');
        again.close();
        await once(again, 'close');
        t.equal((await ask(`${at}/`)).status, 418, 'and everything else goes on');
      });
    });
  }
  const failed = place.logs.filter(({ fields }) => Number(fields['status']) >= 500);
  t.ok(failed.length > 5, `${failed.length}`);
  t.strictSame(
    [...new Set(failed.map(({ level }) => level))],
    ['warn'],
    'services of users fail, not the gateway',
  );
});
