import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as secureRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { WebSocket } from 'ws';
import { checkReplies } from '../../../lib/client/replies.js';
import { createClient } from '../../../lib/client.js';
import { refuses } from '../../helpers/accounts.js';
import { start } from '../../helpers/processes.js';
import { certificate, key } from '../../helpers/tls-front.js';

// The examples of `examples/host-sessions`, as somebody runs them: each host's own login is the login of the gateway.

const root = join(import.meta.dirname, '../../../..');
const scratch = mkdtempSync(join(tmpdir(), 'headgate-hosts-'));
t.teardown(() => rmSync(scratch, { recursive: true, force: true }));
async function running(
  t: { teardown(end: () => unknown): unknown },
  name: string,
  env: Record<string, string> = {},
): Promise<string> {
  const program = start(process.execPath, [`examples/host-sessions/${name}.js`], {
    cwd: root,
    env: { PORT: '0', ...env },
  });
  t.teardown(() => program.stop());
  return (await program.printed(/listening on (\S+)/))[1] ?? '';
}

/** Whether a WebSocket opens, and else the status. */
async function upgrade(baseUrl: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/pubsub`, { headers });
  socket.on('error', () => {});
  const status = await Promise.race([
    once(socket, 'open').then(() => 101),
    once(socket, 'unexpected-response').then(([, response]) => Number(response.statusCode)),
  ]);
  socket.terminate();
  return status;
}

const cookiesOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((one) => one.split(';', 1)[0])
    .join('; ');

for (const name of ['express-session', 'passport', 'koa-session'])
  t.test(name, async (t) => {
    const baseUrl = await running(t, name);
    const post = (path: string, body: object | undefined, headers: Record<string, string> = {}) =>
      fetch(`${baseUrl}${path}`, {
        method: 'POST',
        headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    const as = (cookie: string) => createClient({ baseUrl, headers: { cookie }, checkReplies });

    await refuses(t, as('').getProfile(), { status: 401 });
    await refuses(t, as('host.sid=s%3Aforged.forged; host.sid.sig=forged').getProfile(), { status: 401 });
    t.equal((await post('/host/login', { name: 'ada', password: 'wrong' })).status, 401);
    t.equal(await upgrade(baseUrl, {}), 401);

    const login = await post('/host/login', { name: 'bob', password: 'builder' });
    const cookie = cookiesOf(login);
    t.match(await as(cookie).getProfile(), { userName: 'bob', roles: ['developer'], authScheme: 'host' });
    await refuses(t, as(cookie).listUsers(), { status: 403 });
    t.equal(await upgrade(baseUrl, { cookie }), 101, 'a WebSocket has the same session');
    t.equal(await upgrade(baseUrl, { cookie, origin: 'https://evil.example' }), 403);

    const other = await post('/host/login', { name: 'ada', password: 'analytical' }, { cookie });
    const next = cookiesOf(other);
    t.notSame(next, cookie, 'a login makes a session of its own');
    t.match(await as(next).getProfile(), { userName: 'ada', roles: ['admin'] });
    await refuses(t, as(cookie).getProfile(), { status: 401 }, 'the one before it is over');

    const { token } = await as(next).createToken({ body: { name: 'script' } });
    t.match(await createClient({ baseUrl, token }).getProfile(), { userName: 'ada', authScheme: 'token' });
    await post('/host/logout', undefined, { cookie: next });
    await refuses(t, as(next).getProfile(), { status: 401 }, 'also of a cookie that somebody copied');
    t.equal(await upgrade(baseUrl, { cookie: next }), 401);
    t.equal((await fetch(`${baseUrl}/elsewhere`)).status, 404, 'the rest is the host’s');
  });

t.test('trusted-proxy, by a secret', async (t) => {
  const secret = 'sixteen bytes and more';
  const baseUrl = await running(t, 'trusted-proxy', { PROXY_SECRET: secret });
  const as = (headers: Record<string, string>) => createClient({ baseUrl, headers });
  const ada = { 'x-forwarded-user': 'ada', 'x-forwarded-roles': 'admin' };
  t.match(await as({ ...ada, 'x-proxy-secret': secret }).getProfile(), { userName: 'ada', roles: ['admin'] });
  t.equal(await upgrade(baseUrl, { ...ada, 'x-proxy-secret': secret }), 101);
  for (const wrong of [{}, { 'x-proxy-secret': '' }, { 'x-proxy-secret': `${secret}x` }])
    await refuses(t, as({ ...ada, ...wrong }).getProfile(), { status: 401 });
  t.equal(await upgrade(baseUrl, ada), 401);
});

t.test('trusted-proxy, by a certificate', async (t) => {
  const files = { TLS_CERT: join(scratch, 'cert.pem'), TLS_KEY: join(scratch, 'key.pem') };
  writeFileSync(files.TLS_CERT, certificate);
  writeFileSync(files.TLS_KEY, key);
  const { fingerprint256 } = new X509Certificate(certificate);
  const baseUrl = await running(t, 'trusted-proxy', { ...files, PROXY_FINGERPRINT: fingerprint256 });
  const ask = (tls: object) =>
    new Promise<number>((resolve, reject) => {
      const headers = { 'x-forwarded-user': 'ada', 'x-forwarded-roles': 'admin' };
      const options = { headers, rejectUnauthorized: false, agent: false, ...tls };
      secureRequest(`${baseUrl}/ws/v2/profile/user`, options, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });
  t.equal(await ask({ cert: certificate, key }), 200);
  t.equal(await ask({}), 401, 'without one');
});
