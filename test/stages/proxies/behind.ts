import { once } from 'node:events';
import type { Test } from 'tap';
import { WebSocket } from 'ws';
import { passwordSessions } from '../../../adapters/auth/password.js';
import { adminPassword } from '../../helpers/accounts.js';
import { newGateway } from '../../helpers/gateway.js';
import { askProxy, clientAddress, publicHost, untilItAnswers } from '../../helpers/tls-proxy.js';

/** What holds behind a proxy that ends TLS: whose address it is, how they came, which origin is ours, WebSockets and large bodies. */
export async function holdsBehind(t: Test, startProxy: (backend: string) => Promise<number>): Promise<void> {
  const { baseUrl, logs } = await newGateway(t, {
    auth: passwordSessions(),
    initialAdmin: { password: adminPassword },
    trustProxy: 'loopback',
  });
  const port = await startProxy(baseUrl);
  await untilItAnswers(port);
  const lies = {
    'x-forwarded-for': '192.0.2.1',
    'x-forwarded-proto': 'http',
    'x-forwarded-host': 'evil.example',
    forwarded: 'for=192.0.2.1;proto=http;host=evil.example',
  };
  const body = JSON.stringify({ userName: 'admin', password: adminPassword });
  const origin = `https://${publicHost}`;
  for (const headers of [{ origin }, { origin, ...lies }]) {
    const login = await askProxy(port, 'POST', '/ws/v2/login', headers, body);
    t.equal(login.status, 200, login.text);
    t.equal(login.cookies.length, 2);
    for (const cookie of login.cookies) t.match(cookie, /; Secure$/);
  }
  t.equal(
    (await askProxy(port, 'POST', '/ws/v2/login', { origin: 'https://evil.example', ...lies }, body)).status,
    403,
  );
  t.equal(
    (await askProxy(port, 'POST', '/ws/v2/login', { origin: `http://${publicHost}` }, body)).status,
    403,
  );
  const told = new Set(logs.map(({ fields }) => fields['remoteAddress']).filter(Boolean));
  t.strictSame([...told], [clientAddress], 'whatever a client says');

  const { cookies } = await askProxy(port, 'POST', '/ws/v2/login', {}, body);
  const socket = new WebSocket(`wss://127.0.0.1:${port}/pubsub`, {
    localAddress: clientAddress,
    rejectUnauthorized: false,
    origin,
    headers: { host: publicHost, cookie: cookies[0]?.split(';', 1)[0] },
  });
  t.teardown(() => socket.terminate());
  await once(socket, 'open');
  const large = JSON.stringify({ value: 'x'.repeat(900_000) });
  const setting = await askProxy(
    port,
    'PUT',
    '/ws/v2/profile/settings/admin/layout',
    { cookie: cookies[0]?.split(';', 1)[0] },
    large,
  );
  t.equal(setting.status, 200, setting.text);
}
