import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { UnusableAnswer } from '../../../lib/driver-kit.js';
import { Unreachable } from '../../../lib/index.js';
import { silent } from '../../../lib/options.js';
import { type PamOptions, pamScheme } from '../../../packages/directory/pam.js';
import { answerOf, requestOf } from '../../../packages/directory/saslauthd.js';
import { systemUsers } from '../../../packages/directory/system-users.js';

// What needs no PAM. Passwords at a real one: `test/stages/identity`.

const signal = () => AbortSignal.timeout(20_000);

t.test('requests and answers of saslauthd', async (t) => {
  t.strictSame(
    requestOf('ann', 'sesame', 'gate'),
    Buffer.from('\0\x03ann\0\x06sesame\0\x04gate\0\0', 'latin1'),
  );
  t.equal(requestOf('é', 'x', 'gate')?.toString('latin1').slice(0, 4), '\0\x02Ã©', 'lengths are of bytes');
  t.ok(requestOf('a'.repeat(256), 'x', 'gate'));
  t.equal(requestOf('a'.repeat(257), 'x', 'gate'), undefined);
  t.equal(requestOf('ann', 'é'.repeat(129), 'gate'), undefined);
  t.equal(requestOf('ann', 'sesame\0and more', 'gate'), undefined, 'where C stops reading');
  t.equal(requestOf('ann\0x', 'sesame', 'gate'), undefined);

  const answer = (text: string) => answerOf(Buffer.from(text, 'latin1'));
  t.equal(answer('\0\x02OK'), true);
  t.equal(answer('\0\x05OK ok'), true);
  t.equal(answer('\0\x02NO'), false);
  t.equal(answer('\0\x0fNO PAM auth err'), false);
  for (const half of ['', '\0', '\0\x02O', '\0\x09NO'])
    t.equal(answer(half), undefined, JSON.stringify(half));
  for (const junk of ['\0\x02ok', 'HTTP/1.1', '\0\0', '\0\x01O', '\xff\xffOK', '\0\x04 OK ']) {
    t.throws(() => answer(junk), UnusableAnswer, JSON.stringify(junk));
  }
});

t.test('users and groups as the system has them', async (t) => {
  const users = systemUsers('/usr/bin/id');
  const { username } = userInfo();
  t.equal(await users.nameOf(username, signal()), username);
  t.ok((await users.groupsOf(username, signal())).length > 0);
  for (const name of ['0', '+0', '1000', 'no-such-user', '-u', '--help', '$(id)', '; id', 'a b', '']) {
    t.equal(await users.nameOf(name, signal()), undefined, name);
    t.strictSame(await users.groupsOf(name, signal()), [], name);
  }
  await t.rejects(systemUsers('/no/such/program').nameOf('ann', signal()), { code: 'ENOENT' });
});

t.test('a daemon that does not answer is told from a wrong password', async (t) => {
  // Names of sockets have a hundred letters at most.
  const directory = await mkdtemp(join(tmpdir(), 'headgate-pam-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const login = (options: PamOptions, given = signal()) =>
    Promise.resolve(
      pamScheme(options)(
        { type: 'pam', serviceName: 'gate', groupSupport: false },
        { clock: { now: () => 0, monotonic: () => 0 }, logger: silent },
      ),
    ).then((scheme) => scheme.login?.({ userName: 'ann', password: 'sesame' }, { signal: given }));
  await t.rejects(login({ socket: join(directory, 'none') }), Unreachable);

  const listen = async (name: string, serve: (socket: Socket) => void) => {
    const socket = join(directory, name);
    const open = new Set<Socket>();
    const server = createServer((one) => {
      open.add(one);
      one.on('error', () => undefined);
      one.once('data', () => serve(one));
    });
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    t.teardown(() => {
      for (const one of open) one.destroy();
      return new Promise((resolve) => server.close(resolve));
    });
    return { socket };
  };
  await t.rejects(login(await listen('ends', (socket) => socket.end())), UnusableAnswer);
  await t.rejects(login(await listen('junk', (socket) => socket.end('HTTP/1.1 400'))), UnusableAnswer);
  t.equal(await login(await listen('no', (socket) => socket.end('\0\x02NO'))), undefined);
  t.strictSame(
    await login(
      await listen('slow', (socket) => {
        for (const byte of '\0\x02OK') setImmediate(() => socket.write(byte));
      }),
    ),
    { userName: 'ann' },
    'known to PAM only',
  );
  const yes = await listen('yes', (socket) => socket.end('\0\x02OK'));
  await t.rejects(login({ ...yes, id: '/no/such/program' }), Unreachable);

  const gaveUp = new AbortController();
  const answer = login(await listen('silent', () => gaveUp.abort(new Error('enough'))), gaveUp.signal);
  await t.rejects(answer, Unreachable);
});
