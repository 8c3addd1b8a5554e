import { once } from 'node:events';
import { connect } from 'node:net';
import t from 'tap';
import { firstOf } from '../../../adapters/auth/first-of.js';
import { passwordSessions } from '../../../adapters/auth/password.js';
import { apiTokens } from '../../../adapters/auth/tokens.js';
import { newGateway } from '../../helpers/gateway.js';
import { type Hashes, watchHashes } from '../../helpers/hashes.js';

// Sixty wrong logins whose connections are reset once made a right one, from anywhere, wait for sixty hashes: more than a
// minute and a half. What counts is how many hashes run before the right one, which is the same on every machine.

const initialAdmin = { password: 'correct-horse' };
const count = 60;

/** One request on a connection of its own from an address of the loopback. */
async function send(baseUrl: string, localAddress: string, head: readonly string[], body = '') {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ port: Number(port), host: hostname, localAddress });
  socket.on('error', () => {});
  await once(socket, 'connect');
  const lines = [...head, 'host: localhost', `content-length: ${Buffer.byteLength(body)}`];
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  return socket;
}

type Send = (baseUrl: string, from: string, userName: string, password: string) => ReturnType<typeof send>;

const login: Send = (baseUrl, from, userName, password) => {
  const head = ['POST /ws/v2/login HTTP/1.1', 'content-type: application/json'];
  return send(baseUrl, from, head, JSON.stringify({ userName, password }));
};

const basic: Send = (baseUrl, from, userName, password) => {
  const authorization = Buffer.from(`${userName}:${password}`).toString('base64');
  return send(baseUrl, from, ['GET /ws/v2/applications HTTP/1.1', `authorization: Basic ${authorization}`]);
};

const webSocket: Send = (baseUrl, from, userName, password) => {
  const authorization = Buffer.from(`${userName}:${password}`).toString('base64');
  const upgrade = ['connection: Upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'];
  const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==';
  const head = ['GET /pubsub HTTP/1.1', `authorization: Basic ${authorization}`, ...upgrade, key];
  return send(baseUrl, from, head);
};

/** The number of the hash that a right password of the administrator gets, after `attack`. */
async function turnOfRightLogin(
  hashes: Hashes,
  baseUrl: string,
  from: string,
  attack: () => Promise<void>,
): Promise<{ status: string; turn: number }> {
  hashes.begun.length = 0;
  await attack();
  const before = hashes.begun.length;
  const socket = await login(baseUrl, from, 'admin', initialAdmin.password);
  const [answer] = await once(socket, 'data');
  socket.destroy();
  const turn = hashes.begun.indexOf(initialAdmin.password) - before;
  return { status: String(answer).slice(9, 12), turn };
}

const gatewayOf = (t: Parameters<typeof newGateway>[0]) =>
  newGateway(t, { auth: firstOf(passwordSessions(), apiTokens()), initialAdmin });

for (const [name, attempt, end] of [
  ['logins that are reset', login, 'resetAndDestroy'],
  ['logins that are closed', login, 'destroy'],
  ['Basic that is reset', basic, 'resetAndDestroy'],
  ['WebSockets that are reset', webSocket, 'resetAndDestroy'],
] as const) {
  t.test(`${count} ${name} cost a right login from elsewhere at most the hashes that run`, async (t) => {
    const hashes = watchHashes(t);
    const { baseUrl } = await gatewayOf(t);
    const { status, turn } = await turnOfRightLogin(hashes, baseUrl, '127.0.0.2', async () => {
      hashes.hold();
      const sockets = [];
      for (let i = 0; i < count; i++)
        sockets.push(await attempt(baseUrl, '127.0.0.1', `nobody${i}`, `wrong ${i}`));
      while (hashes.begun.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      for (const socket of sockets) socket[end]();
      // Each has a login of its own behind it, so that the gateway has seen them all go.
      for (let i = 0; i < 3; i++) await fetch(`${baseUrl}/ws/v2/health`);
      hashes.release();
    });
    t.equal(status, '200');
    t.comment(`the right one was hash ${turn + 1} after the attack`);
    t.ok(turn <= 4, `${turn} hashes between`);
    // A stranger from the address of those that are gone is behind all of theirs that are still wanted.
    const other = await login(baseUrl, '127.0.0.1', 'somebody', 'behind them');
    t.teardown(() => other.destroy());
    await once(other, 'data');
    const all = hashes.begun.length;
    t.ok(all <= 8, `${all} hashes, where ${count} were asked for`);
  });
}

t.test(
  `${count} wrong logins that wait for their answers cost one from elsewhere a turn or two`,
  async (t) => {
    const hashes = watchHashes(t);
    const { baseUrl } = await gatewayOf(t);
    const { status, turn } = await turnOfRightLogin(hashes, baseUrl, '127.0.0.2', async () => {
      for (let i = 0; i < count; i++) {
        const socket = await login(baseUrl, '127.0.0.1', `nobody${i}`, `wrong ${i}`);
        t.teardown(() => socket.destroy());
      }
    });
    t.equal(status, '200');
    t.comment(`${turn} hashes between`);
    t.ok(turn <= 6, `${turn} hashes between`);
  },
);

t.test(
  'who has come in before waits for a turn or two, behind any number of addresses and from a shared one',
  async (t) => {
    const hashes = watchHashes(t);
    const { baseUrl } = await gatewayOf(t);
    for (const from of ['127.0.0.1', '127.0.0.2']) {
      const socket = await login(baseUrl, from, 'admin', initialAdmin.password);
      t.match(String((await once(socket, 'data'))[0]), /^HTTP\/1.1 200/);
      socket.destroy();
    }
    for (const from of ['127.0.0.1', '127.0.0.2']) {
      const { status, turn } = await turnOfRightLogin(hashes, baseUrl, from, async () => {
        for (let i = 0; i < count; i++) {
          // Guesses at the same account from many addresses, and at many names from the shared one.
          const socket =
            from === '127.0.0.2'
              ? await login(baseUrl, `127.0.1.${i + 1}`, 'admin', `wrong ${i}`)
              : await login(baseUrl, from, `nobody${i}`, `wrong ${i}`);
          t.teardown(() => socket.destroy());
        }
      });
      t.equal(status, '200', `from ${from}`);
      t.ok(turn <= 6, `${turn} hashes between`);
    }
  },
);
