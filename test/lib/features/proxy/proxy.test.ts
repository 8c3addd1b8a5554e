import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import t from 'tap';
import { firstOf } from '../../../../adapters/auth/first-of.js';
import { fromHost } from '../../../../adapters/auth/from-host.js';
import { trustedProxy } from '../../../../adapters/auth/trusted-proxy.js';
import { as } from '../../../helpers/people.js';
import { ownPort } from '../../../helpers/ports.js';
import { dial, rawExchange, toTheEnd } from '../../../helpers/raw.js';
import { until } from '../../../helpers/waiting.js';
import { appid, endedAppid, proxied } from './proxied.js';

// `/proxy/rm/v1` and `/proxy/master/v2` to real servers, good ones and others, in all three hosts.

/** Of a gateway that is asked only for what ends by them. */
const limits = { answerMillis: 400, idleMillis: 400 };
const root = as('root', 'admin').headers;
const rm = '/proxy/rm/v1/cluster/info';

const listensOnly = `
  const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;

/** Sends and leaves the answer unread. */
async function ask(
  url: string,
  options: RequestOptions & { body?: string | Readable } = {},
): Promise<IncomingMessage> {
  const { body = '', headers = {}, ...more } = options;
  const req = request(url, { agent: false, ...more, headers: { ...root, ...headers } });
  const answered = once(req, 'response');
  if (typeof body === 'string') req.end(body);
  else pipeline(body, req).catch(() => {});
  const [res] = await answered;
  return res;
}

async function whole(res: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of res) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const codeOf = async (res: IncomingMessage): Promise<string> => JSON.parse(await whole(res)).code;

t.test('in every host', async (t) => {
  const place = await proxied(t);
  const impatient = await proxied(t, { proxy: { limits } });
  for (const host of ['http', 'Express', 'Koa'] as const) {
    const url = place.hosts[host];
    await t.test(host, async (t) => {
      const prefix = new URL(url).pathname.replace(/\/$/, '');

      await t.test('method, path, query, body and headers arrive; the gateway says who it is', async (t) => {
        let seen: { method: string; url: string; headers: unknown; body: string } | undefined;
        place.listener = async (req, res) => {
          seen = {
            method: req.method ?? '',
            url: req.url ?? '',
            headers: req.headers,
            body: await whole(req),
          };
          res.writeHead(202, { 'content-type': 'application/json', 'x-more': 'yes', 'set-cookie': 'rm=1' });
          res.end('{"ok":true}');
        };
        const res = await ask(`${url}/proxy/rm/v1/cluster/apps?a=1&user.name=eve&doAs=eve`, {
          method: 'POST',
          body: '{"x":1}',
          headers: {
            'content-type': 'application/json',
            'content-length': '7',
            cookie: 'headgate_session=secret',
            authorization: 'Bearer secret',
            'x-forwarded-for': '203.0.113.9',
            'x-remote-user': 'eve',
          },
        });
        t.equal(await whole(res), '{"ok":true}');
        t.match(res, {
          statusCode: 202,
          headers: { 'content-type': 'application/json', 'x-more': 'yes', 'content-length': undefined },
        });
        t.equal(res.headers['set-cookie'], undefined);
        t.match(seen, {
          method: 'POST',
          url: '/ws/v1/cluster/apps?a=1&user.name=hadoop',
          body: '{"x":1}',
          headers: {
            host: new URL(place.targetUrl).host,
            'x-gateway': 'it is me',
            'content-length': '7',
            'x-forwarded-for': /127\.0\.0\.1$/,
            'x-forwarded-host': new URL(url).host,
            'x-forwarded-proto': 'http',
            'x-forwarded-prefix': `${prefix}/proxy/rm/v1`,
            cookie: undefined,
            authorization: undefined,
            'x-remote-user': undefined,
            'x-user': undefined,
          },
        });
      });

      await t.test('statuses without a body, HEAD, and fixed lengths', async (t) => {
        place.listener = (req, res) => {
          const status = Number(req.url?.match(/\d{3}/)?.[0] ?? 200);
          res.writeHead(status, status === 200 ? { 'content-length': 3 } : { etag: '"1"' });
          res.end(status === 200 ? 'abc' : undefined);
        };
        const get = await ask(`${url}${rm}`);
        t.match([get.headers['content-length'], await whole(get)], ['3', 'abc']);
        const head = await ask(`${url}${rm}`, { method: 'HEAD' });
        t.match([head.statusCode, head.headers['content-length'], await whole(head)], [200, '3', '']);
        for (const status of [204, 304]) {
          const res = await ask(`${url}/proxy/rm/v1/${status}`);
          t.match([res.statusCode, res.headers.etag, await whole(res)], [status, '"1"', '']);
        }
        const missing = await ask(`${url}/proxy/rm/v1/404`);
        t.equal(missing.statusCode, 404, 'the target’s own errors are passed on');
      });

      await t.test('trailers go both ways, with chunks', async (t) => {
        let seen: unknown;
        place.listener = async (req, res) => {
          const body = await whole(req);
          seen = { trailers: req.trailers, announced: req.headers.trailer, body };
          res.writeHead(200, { trailer: 'x-sum' });
          res.write('one ');
          res.addTrailers({ 'x-sum': '7', 'set-cookie': 'a=1' });
          res.end('two');
        };
        const socket = await dial(url);
        const answer = toTheEnd(socket);
        socket.write(
          `POST ${prefix}${rm} HTTP/1.1\r\nhost: h\r\nconnection: close\r\nx-user: root\r\nx-roles: admin\r\ntransfer-encoding: chunked\r\ntrailer: x-count\r\n\r\n`,
        );
        socket.write('3\r\nabc\r\n');
        socket.write('0\r\nx-count: 3\r\nauthorization: Basic x\r\n\r\n');
        const text = await answer;
        t.match(text, /^HTTP\/1\.1 200/);
        t.match(text, /\r\ntrailer: x-sum\r\n/i);
        t.match(text, /\r\n0\r\nx-sum: 7\r\n\r\n$/i);
        t.notMatch(text, /set-cookie/i);
        t.match(seen, { trailers: { 'x-count': '3' }, announced: 'x-count', body: 'abc' });
        t.notOk(JSON.stringify(seen).includes('Basic'));
      });

      await t.test('`Expect: 100-continue` is between the client and the host', async (t) => {
        let expected: unknown = 'nothing came';
        place.listener = async (req, res) => {
          expected = req.headers.expect;
          res.end(await whole(req));
        };
        const req = request(`${url}${rm}`, {
          method: 'POST',
          agent: false,
          headers: { ...root, expect: '100-continue', 'content-length': 5 },
        });
        const answered = once(req, 'response');
        req.flushHeaders();
        await once(req, 'continue');
        req.end('hello');
        const [res] = await answered;
        t.equal(await whole(res), 'hello');
        t.equal(expected, undefined);
      });

      await t.test('an answer that comes before the request has ended', async (t) => {
        place.listener = (_, res) => {
          res.writeHead(413);
          res.end('too much');
        };
        const body = Readable.from(Array.from({ length: 128 }, () => Buffer.alloc(64 * 1024)));
        const res = await ask(`${url}${rm}`, { method: 'POST', body });
        t.match([res.statusCode, await whole(res)], [413, 'too much']);
        const next = await ask(`${url}${rm}`);
        t.equal(next.statusCode, 413, 'the next one is not disturbed');
        next.resume();
      });

      await t.test('back-pressure: nobody reads ahead of a slow client, or of a slow target', async (t) => {
        const size = 64 * 1024 * 1024;
        let sent = 0;
        const source = () =>
          new Readable({
            highWaterMark: 64 * 1024,
            read() {
              sent += 64 * 1024;
              this.push(sent > size ? null : Buffer.alloc(64 * 1024));
            },
          });
        place.listener = (req, res) => {
          // Who sends something is never listened to.
          if (req.method === 'GET') pipeline(source(), res).catch(() => {});
        };
        const standsStill = async () => {
          let before = -1;
          await until(
            async () => {
              const isStill = sent === before && sent > 0;
              before = sent;
              return isStill;
            },
            (isStill) => isStill,
          );
          t.ok(sent < size / 2, `${sent} bytes were read ahead`);
          sent = 0;
        };
        const res = await ask(`${url}${rm}`);
        await standsStill();
        const closed = once(res, 'close');
        res.destroy();
        await closed;
        impatient.listener = () => {};
        const slow = ask(`${impatient.hosts[host]}${rm}`, { method: 'POST', body: source() });
        await standsStill();
        t.equal((await slow).statusCode, 504, 'and in the end nobody waits for it');
      });

      await t.test('a client that stops in the middle of its body', async (t) => {
        const gone = new Promise((resolve) => {
          impatient.listener = (req) =>
            req
              .on('error', () => {})
              .once('close', resolve)
              .resume();
        });
        const socket = await dial(impatient.hosts[host]);
        const answer = toTheEnd(socket);
        socket.write(
          `POST ${prefix}${rm} HTTP/1.1\r\nhost: h\r\nconnection: close\r\nx-user: root\r\nx-roles: admin\r\ncontent-length: 9\r\n\r\nhalf`,
        );
        await gone;
        socket.end(' and');
        t.match(await answer, /^HTTP\/1\.1 504 .*TIMED_OUT/s);
      });

      await t.test('who hangs up is hung up on at the target', async (t) => {
        let gone: Promise<string> | undefined;
        const came = new Promise<void>((resolve) => {
          place.listener = (req, res) => {
            gone = once(res, 'close').then(() => req.url ?? '');
            resolve();
          };
        });
        const req = request(`${url}${rm}`, { agent: false, headers: root });
        req.on('error', () => {});
        req.end();
        await came;
        req.destroy();
        t.match(await gone, /cluster\/info/);
      });

      await t.test('targets that hang, close early, or send garbage', async (t) => {
        impatient.listener = () => {};
        const hanging = await ask(`${impatient.hosts[host]}${rm}`);
        t.match([hanging.statusCode, await codeOf(hanging)], [504, 'TIMED_OUT']);

        place.listener = (req) => req.socket.destroy();
        const closing = await ask(`${url}${rm}`, { method: 'POST', body: 'x' });
        t.match([closing.statusCode, await codeOf(closing)], [502, 'UNUSABLE_ANSWER']);

        place.listener = (req) => req.socket.end('SSH-2.0-OpenSSH_9.2\r\n');
        const garbage = await ask(`${url}${rm}`, { method: 'POST', body: 'x' });
        t.match([garbage.statusCode, await codeOf(garbage)], [502, 'UNUSABLE_ANSWER']);

        place.listener = (req) =>
          req.socket.write(`HTTP/1.1 200 OK\r\nx-much: ${'x'.repeat(100_000)}\r\n\r\n`);
        const much = await ask(`${url}${rm}`, { method: 'POST', body: 'x' });
        t.match([much.statusCode, await codeOf(much)], [502, 'UNUSABLE_ANSWER']);

        place.listener = (_, res) => {
          res.writeHead(200, { 'content-length': 100 });
          res.write('half an answer', () => res.destroy());
        };
        const half = await ask(`${url}${rm}`);
        await t.rejects(whole(half), { code: 'ECONNRESET' }, 'nobody takes a part for the whole');

        place.listener = (req) =>
          req.socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\nodd\r\n');
        const odd = await ask(`${url}${rm}`);
        await t.rejects(whole(odd), { code: 'ECONNRESET' }, 'chunks that are none');

        impatient.listener = (_, res) => {
          res.writeHead(200, { 'content-length': 100 });
          res.write('half an answer');
        };
        const silent = await ask(`${impatient.hosts[host]}${rm}`);
        await t.rejects(whole(silent), { code: 'ECONNRESET' }, 'nor waits for ever');
      });

      await t.test('an unasked `100 Continue` is no answer', async (t) => {
        place.listener = (_, res) => {
          res.writeContinue();
          res.writeEarlyHints({ link: '</a.css>; rel=preload' });
          res.end('after all');
        };
        t.equal(await whole(await ask(`${url}${rm}`)), 'after all');
      });

      await t.test('redirects stay on this side, or are refused', async (t) => {
        let asked = 0;
        place.listener = (req, res) => {
          asked++;
          const location = req.url?.includes('loop') ? '/ws/v1/cluster/loop' : 'http://10.1.2.3:8088/ws/v1/x';
          res.writeHead(307, { location }).end();
        };
        const loop = await ask(`${url}/proxy/rm/v1/cluster/loop`);
        t.match([loop.statusCode, loop.headers.location, asked], [307, '../cluster/loop', 1]);
        const away = await ask(`${url}${rm}`);
        t.equal(away.statusCode, 502);
        t.notMatch(await whole(away), /10\.1\.2\.3/, 'addresses inside are nobody’s business');
      });

      await t.test('a body of no bytes', async (t) => {
        place.listener = async (req, res) => {
          const body = await whole(req);
          res.end(`${req.headers['content-length']} ${body}`);
        };
        const res = await ask(`${url}${rm}`, { method: 'POST', headers: { 'content-length': '0' } });
        t.equal(await whole(res), '0 ');
      });
    });
  }
});

t.test('paths and methods', async (t) => {
  const place = await proxied(t);
  const seen: string[] = [];
  place.listener = (req, res) => {
    seen.push(`${req.method} ${req.url}`);
    res.end('ok');
  };
  const get = (path: string, method = 'GET') =>
    rawExchange(place.baseUrl, `${method} ${path}`, ['x-user: root', 'x-roles: admin']);

  t.equal((await get('/proxy/rm/v1/cluster/../cluster/%2e/apps')).status, 200);
  t.equal((await get('/proxy/rm/v1///evil.example/x')).status, 404, 'an empty segment is not ours');
  t.equal((await get('/proxy/rm/v1/a//evil.example/x%2Fy')).status, 200);
  t.strictSame(seen, [
    'GET /ws/v1/cluster/apps?user.name=hadoop',
    'GET /ws/v1/a//evil.example/x%2Fy?user.name=hadoop',
  ]);
  for (const path of [
    '../../conf',
    '%2e%2e/conf',
    'a/..%2f..%2f..%2fconf',
    'a/..;/conf',
    '%252e%252e/conf',
  ]) {
    t.equal((await get(`/proxy/rm/v1/${path}`)).status, 400, path);
  }
  t.equal((await get(`/proxy/master/v2/${appid}/../${endedAppid}/info`)).status, 503, 'of which application');
  t.equal((await get(`/proxy/master/v2/${appid}/..%2f${endedAppid}/info`)).status, 400);
  t.equal(seen.length, 2, 'nothing of that was sent on');

  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE']) {
    t.equal((await get('/proxy/rm/v1/cluster/info', method)).status, 405, method);
  }
  for (const method of ['PATCH', 'OPTIONS', 'TRACE']) {
    t.equal((await get(`/proxy/master/v2/${appid}/info`, method)).status, 405, method);
  }
  for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
    t.equal((await get(`/proxy/master/v2/applications/${appid}/info`, method)).status, 200, method);
  }
  t.strictSame(
    seen.slice(2),
    ['GET', 'POST', 'PUT', 'DELETE'].map((m) => `${m} /ws/v2/stram/info`),
  );
});

t.test('masters: whose, whether they run, and what they must not tell', async (t) => {
  const place = await proxied(t);
  place.listener = (_, res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(
      '{"attributes":{"GATEWAY_PASSWORD":"hush","SSL_CONFIG":"hush","X":"1"},"currentWindowId":"6508923749238749238"}',
    );
  };
  const ada = place.newClient(as('ada', 'developer'));
  const eve = place.newClient(as('eve', 'developer'));
  const info = { params: { rest: `${appid}/info` } };
  const text = await (await ada.forwardMasterGet(info)).text();
  t.equal(
    text,
    '{"attributes":{"GATEWAY_PASSWORD":null,"SSL_CONFIG":null,"X":"1"},"currentWindowId":"6508923749238749238"}',
  );
  await t.rejects(eve.forwardMasterGet(info), { name: 'ClientError', status: 404 });
  await t.rejects(eve.forwardManagerGet({ params: { rest: 'cluster/apps' } }), {
    name: 'ClientError',
    status: 403,
  });
  await ada.putApplicationPermissions({
    params: { appid },
    body: {
      readOnly: { users: ['eve'], roles: [], everyone: false },
      readWrite: { users: [], roles: [], everyone: false },
    },
  });
  t.ok((await eve.forwardMasterGet(info)).ok);
  await t.rejects(eve.forwardMasterPost({ params: { rest: `${appid}/shutdown` } }), {
    name: 'ClientError',
    status: 403,
  });
  await t.rejects(ada.forwardMasterGet({ params: { rest: `${endedAppid}/info` } }), {
    status: 503,
    code: 'NOT_READY',
  });
  await t.rejects(ada.forwardMasterGet({ params: { rest: 'application_9_0009/info' } }), {
    name: 'ClientError',
    status: 404,
  });
  await t.rejects(ada.forwardMasterGet({ params: { rest: 'applications' } }), {
    name: 'ClientError',
    status: 404,
  });

  place.listener = (_, res) => res.writeHead(401, { 'www-authenticate': 'Negotiate' }).end();
  await t.rejects(ada.forwardMasterGet(info), { status: 502, message: /refuses the gateway/ });
});

t.test('what a proxy in front proves itself with stays here', async (t) => {
  const secret = 'sixteen bytes and more';
  const proof = { secret, header: 'If-Proof' };
  const fronted = trustedProxy({ proof, userHeader: 'Accept-User', rolesHeader: 'X-Roles' });
  const place = await proxied(t, {
    auth: firstOf(
      fronted,
      fromHost(() => false, { headers: ['If-Key'] }),
    ),
  });
  place.listener = (req, res) => res.end(JSON.stringify(req.headers));
  const headers = { 'if-proof': secret, 'accept-user': 'root', 'x-roles': 'admin', 'if-key': secret };
  const seen = await whole(await ask(`${place.baseUrl}${rm}`, { headers: { ...headers, 'if-range': 'x' } }));
  t.match(JSON.parse(seen), { 'if-range': 'x', 'accept-user': undefined, 'if-key': undefined });
  t.notMatch(seen, secret);
});

t.test('no answer of a manager or a master is a page of the gateway', async (t) => {
  const place = await proxied(t);
  const page = '<script>alert(1)</script>';
  let type = 'text/html';
  let status = 200;
  place.listener = (_, res) => {
    res.writeHead(status, { 'content-type': type, 'content-security-policy': "default-src 'self'" });
    res.end(page);
  };
  const noPage = {
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox, frame-ancestors 'self'",
  };
  const master = `/proxy/master/v2/${appid}/info`;
  t.match(await ask(`${place.baseUrl}${rm}`), { statusCode: 200, headers: noPage });
  for (type of ['text/html', 'application/xml', 'image/svg+xml']) {
    const res = await ask(`${place.baseUrl}${master}`);
    t.match([res.statusCode, await codeOf(res)], [502, 'UNUSABLE_ANSWER'], `secrets may stand in ${type}`);
  }
  for (type of ['text/plain;charset=utf-8', 'application/json', '']) {
    const res = await ask(`${place.baseUrl}${master}`);
    t.match(res, { statusCode: 200, headers: noPage });
    t.equal(await whole(res), page);
  }
  [type, status] = ['text/html', 404];
  const missing = await ask(`${place.baseUrl}${master}`);
  t.match(missing, { statusCode: 404, headers: noPage });
  t.equal(await whole(missing), page, 'errors are passed on as they are');
});

t.test('Koa lets go of an answer whose status it can not send', async (t) => {
  const place = await proxied(t);
  let closed: Promise<unknown> | undefined;
  place.listener = (req) => {
    closed = once(req.socket, 'close');
    req.socket.write('HTTP/1.1 099 Odd\r\ncontent-length: 100\r\n\r\nhalf');
  };
  const res = await ask(`${place.hosts.Koa}${rm}`);
  t.equal(res.statusCode, 500);
  res.resume();
  await closed;
});

t.test('nobody is there: looked for anew once, also with a body, and then told', async (t) => {
  const place = await proxied(t);
  place.listener = async (req, res) => res.end(await whole(req));
  const nobody = new URL(`http://127.0.0.1:${await ownPort()}/ws/v1/`);
  place.bases = [nobody, new URL('/ws/v1/', place.targetUrl)];
  const res = await ask(`${place.baseUrl}${rm}`, { method: 'POST', body: 'carried over' });
  t.equal(await whole(res), 'carried over');
  t.equal(place.failures, 1);
  place.bases = [nobody];
  const none = await ask(`${place.baseUrl}${rm}`, { method: 'POST', body: 'x' });
  t.match([none.statusCode, await codeOf(none)], [502, 'UNREACHABLE']);
  t.equal(place.failures, 3);
});

t.test('a target that takes no more connections', async (t) => {
  const place = await proxied(t, { proxy: { limits: { connectMillis: 100, answerMillis: 60_000 } } });
  // It listens and never accepts: two wait there, and nobody after them hears anything.
  const child = spawn(process.execPath, ['-e', listensOnly], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [port] = await once(child.stdout, 'data');
  const waiting = Array.from({ length: 8 }, () => connect(Number(port), '127.0.0.1').on('error', () => {}));
  t.teardown(async () => {
    for (const socket of waiting) socket.destroy();
    child.kill('SIGKILL');
    await ended;
  });
  await Promise.all(waiting.slice(0, 2).map((socket) => once(socket, 'connect')));
  place.bases = [new URL(`http://127.0.0.1:${Number(port)}/ws/v1/`)];
  const res = await ask(`${place.baseUrl}${rm}`, { method: 'POST', body: 'x' });
  t.match([res.statusCode, await codeOf(res)], [504, 'TIMED_OUT']);
  t.equal(place.failures, 1, 'another one is looked for next time');
});

t.test('a kept connection that was closed meanwhile', async (t) => {
  const place = await proxied(t);
  const sockets: Socket[] = [];
  let count = 0;
  place.listener = (req, res) => {
    // Says that it keeps the connection, and ends it at the second request on it.
    if (sockets.includes(req.socket)) req.socket.destroy();
    else res.end(`${++count}`);
    sockets.push(req.socket);
  };
  t.equal(await whole(await ask(`${place.baseUrl}${rm}`)), '1');
  t.equal(await whole(await ask(`${place.baseUrl}${rm}`)), '2', 'asked again');
});

t.test('a change is in the audit, and nothing that was sent with it', async (t) => {
  const place = await proxied(t);
  const root = place.newClient(as('root', 'admin'));
  await root.forwardManagerPost({ params: { rest: 'cluster/apps' }, body: 'secret=1' });
  const { records } = await root.listAudit();
  t.match(records[0], {
    operation: 'forwardManagerPost',
    userName: 'root',
    target: '/proxy/rm/v1/cluster/apps',
    result: 'done',
  });
  t.notMatch(JSON.stringify(records), /secret/);
});

t.test('large bodies both ways, byte by byte the same', async (t) => {
  const place = await proxied(t);
  const bytes = 256 * 1024 * 1024;
  const chunk = Buffer.alloc(1024 * 1024, 'x');
  const source = () => Readable.from(Array.from({ length: bytes / chunk.length }, () => chunk));
  place.listener = async (req, res) => {
    const digest = createHash('sha1');
    for await (const part of req) digest.update(part);
    res.writeHead(200, { 'x-digest': digest.digest('hex') });
    await pipeline(source(), res);
  };
  const res = await ask(`${place.baseUrl}${rm}`, { method: 'POST', body: source() });
  const digest = createHash('sha1');
  for await (const part of res) digest.update(part);
  t.equal(digest.digest('hex'), res.headers['x-digest']);
});
