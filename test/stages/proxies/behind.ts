import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Test } from 'tap';
import { WebSocket } from 'ws';
import { passwordSessions } from '../../../adapters/auth/password.js';
import { adminPassword } from '../../helpers/accounts.js';
import { newGateway } from '../../helpers/gateway.js';
import { certificate, key } from '../../helpers/tls-front.js';
import { untilTrue } from '../../helpers/waiting.js';

/** Another address of the loopback than the proxy has, so that the two can be told apart. */
const clientAddress = '127.0.0.77';
export const host = 'console.example.org';

/** The files of a certificate, as the pages name them. */
export function writeCertificate(folder: string): void {
  writeFileSync(join(folder, 'console.pem'), certificate);
  writeFileSync(join(folder, 'console.key'), key);
}

async function answers(port: number): Promise<number | undefined> {
  return (await ask(port, 'GET', '/ws/v2/about').catch(() => undefined))?.status;
}

async function ask(port: number, method: string, path: string, headers: object = {}, body = '') {
  const asked = request({
    host: '127.0.0.1',
    port,
    path,
    method,
    localAddress: clientAddress,
    rejectUnauthorized: false,
    headers: {
      host,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...headers,
    },
  });
  const [answer] = await once(asked.end(body), 'response');
  const cookies: string[] = answer.headers['set-cookie'] ?? [];
  return { status: Number(answer.statusCode), cookies, text: await text(answer) };
}

/** What holds behind a proxy that ends TLS: whose address it is, how they came, which origin is ours, WebSockets and large bodies. */
export async function holdsBehind(t: Test, startProxy: (backend: string) => Promise<number>): Promise<void> {
  const { baseUrl, logs } = await newGateway(t, {
    auth: passwordSessions(),
    initialAdmin: { password: adminPassword },
    trustProxy: 'loopback',
  });
  const port = await startProxy(baseUrl);
  await untilTrue(async () => (await answers(port)) !== undefined, 50);
  const lies = {
    'x-forwarded-for': '192.0.2.1',
    'x-forwarded-proto': 'http',
    'x-forwarded-host': 'evil.example',
    forwarded: 'for=192.0.2.1;proto=http;host=evil.example',
  };
  const body = JSON.stringify({ userName: 'admin', password: adminPassword });
  const origin = `https://${host}`;
  for (const headers of [{ origin }, { origin, ...lies }]) {
    const login = await ask(port, 'POST', '/ws/v2/login', headers, body);
    t.equal(login.status, 200, login.text);
    t.equal(login.cookies.length, 2);
    for (const cookie of login.cookies) t.match(cookie, /; Secure$/);
  }
  t.equal(
    (await ask(port, 'POST', '/ws/v2/login', { origin: 'https://evil.example', ...lies }, body)).status,
    403,
  );
  t.equal((await ask(port, 'POST', '/ws/v2/login', { origin: `http://${host}` }, body)).status, 403);
  const told = new Set(logs.map(({ fields }) => fields['remoteAddress']).filter(Boolean));
  t.strictSame([...told], [clientAddress], 'whatever a client says');

  const { cookies } = await ask(port, 'POST', '/ws/v2/login', {}, body);
  const socket = new WebSocket(`wss://127.0.0.1:${port}/pubsub`, {
    localAddress: clientAddress,
    rejectUnauthorized: false,
    origin,
    headers: { host, cookie: cookies[0]?.split(';', 1)[0] },
  });
  t.teardown(() => socket.terminate());
  await once(socket, 'open');
  const large = JSON.stringify({ value: 'x'.repeat(900_000) });
  const setting = await ask(
    port,
    'PUT',
    '/ws/v2/profile/settings/admin/layout',
    { cookie: cookies[0]?.split(';', 1)[0] },
    large,
  );
  t.equal(setting.status, 200, setting.text);
}
