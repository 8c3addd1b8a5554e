import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { memoryStorage } from '../adapters/storage/memory.js';
import { createClient } from '../lib/client.js';
import { createGateway } from '../lib/index.js';
import { processRuntime } from '../packages/containers/index.js';
import { localCluster } from '../packages/engine/index.js';
import { filesystemStorage } from '../packages/level/index.js';
import { words } from './helpers/applications.js';
import { emptyCluster } from './helpers/empty-cluster.js';
import { type LogLine, loggerInto, newGateway } from './helpers/gateway.js';
import { dial, frame, rawExchange, rawWebSocket, toTheEnd } from './helpers/raw.js';

// `gateway.close()` with work under way. That nothing is left afterwards is proved by `guest.test.ts` too.

async function directoryOf(t: { teardown(run: () => Promise<void>): unknown }): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-closing-'));
  t.teardown(() => rm(directory, { recursive: true }));
  return directory;
}

const head = (i: number) =>
  `PUT /ws/v2/profile/settings/admin/k${i} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n` +
  'content-type: application/json\r\ncontent-length: 11\r\n\r\n';

t.test('every request is answered, before, while and after', async (t) => {
  const directory = await directoryOf(t);
  const { gateway, baseUrl, logs } = await newGateway(t, { storage: await filesystemStorage({ directory }) });
  const half = await Promise.all(
    Array.from({ length: 20 }, async (_, i) => {
      const socket = await dial(baseUrl);
      socket.write(`${head(i)}{"value`);
      return { socket, answered: toTheEnd(socket) };
    }),
  );
  const whole = Array.from({ length: 100 }, (_, i) =>
    rawExchange(
      baseUrl,
      `PUT /ws/v2/profile/settings/admin/w${i}`,
      ['content-type: application/json', 'content-length: 11'],
      '{"value":1}',
    ),
  );
  await whole[0];
  const closing = gateway.close();
  for (const { socket } of half) socket.write('":1}');
  await closing;
  const statuses = (await Promise.all(whole)).map(({ status }) => status);
  for (const { answered } of half) statuses.push(Number(/^HTTP\/1\.1 (\d+)/.exec(await answered)?.[1] ?? 0));
  t.strictSame(
    [...new Set(statuses)].filter((status) => status !== 200 && status !== 503),
    [],
  );
  const late = await rawExchange(baseUrl, 'GET /ws/v2/profile/user');
  t.match(late, { status: 503, text: /"code":"NOT_READY"/ });
  t.equal((await rawExchange(baseUrl, 'GET /elsewhere')).status, 404, 'the host goes on');

  const storage = await filesystemStorage({ directory });
  let kept = 0;
  for await (const [key] of storage.documents.entries('settings')) if (key) kept++;
  const acknowledged = statuses.filter((status) => status === 200).length;
  t.ok(kept >= acknowledged, `${acknowledged} were acknowledged, ${kept} are there`);
  await storage.close();
  t.strictSame(
    logs.filter(({ fields }) => Number(fields['status'] ?? 503) >= 500 && fields['status'] !== 503),
    [],
  );
});

t.test('sockets are told, and those that do not answer are cut', async (t) => {
  const { gateway, baseUrl, server } = await newGateway(t);
  const polite = await rawWebSocket(baseUrl);
  const ended = toTheEnd(polite);
  const frozen = await rawWebSocket(baseUrl);
  frozen.pause();
  const broken = await rawWebSocket(baseUrl);
  broken.write(frame(0x01, Buffer.alloc(100, 'x'), 1_000_000));
  await gateway.close();
  polite.once('data', () => polite.write(frame(0x88, Buffer.from([0x03, 0xe9]))));
  t.match(await ended, /The gateway closes/);
  t.match(
    await rawWebSocket(baseUrl).then(
      () => 'it was let in',
      (error: unknown) => String(error),
    ),
    /^Error: HTTP\/1.1 503/,
  );
  server.close();
  await once(server, 'close');
  frozen.destroy();
  t.pass('nobody keeps the server open');
});

t.test('a login that takes for ever does not keep it open', async (t) => {
  const stuck = { authenticate: () => new Promise<undefined>(() => {}) };
  const { gateway, baseUrl } = await newGateway(t, { auth: stuck });
  const asking = await dial(baseUrl);
  asking.write('GET /ws/v2/applications HTTP/1.1\r\nhost: a\r\n\r\n');
  const upgrading = rawWebSocket(baseUrl).catch(() => {});
  await gateway.close();
  t.pass('it is closed');
  asking.destroy();
  void upgrading;
});

t.test('launches that are under way end with it, whole or not at all', async (t) => {
  const directory = await directoryOf(t);
  const answered: string[] = [];
  // Each time it is closed at another moment of the launch.
  for (let turns = 0; turns < 24; turns += 3) {
    const { gateway } = await newGateway(t, { cluster: localCluster({ directory }) });
    const launches = Array.from({ length: 4 }, (_, i) => gateway.launch(words(`app-${i}`)));
    const settled = Promise.allSettled(launches);
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
    if (turns === 21) await Promise.race(launches);
    await gateway.close();
    const after = await readdir(join(directory, 'apps'));
    for (const outcome of await settled) if (outcome.status === 'fulfilled') answered.push(outcome.value);
    t.strictSame(await readdir(join(directory, 'apps')), after, 'nothing is written after the close');
    t.strictSame([...after].sort(), [...answered].sort(), 'what was answered is there, and nothing else');
    t.notOk((await readdir(directory)).includes('engine.lock'));
  }
  const { baseUrl } = await newGateway(t, { cluster: localCluster({ directory }) });
  const { apps } = await createClient({ baseUrl }).listApplications();
  t.strictSame(apps.map(({ id }) => id).sort(), [...answered].sort());
  t.ok(apps.every(({ state }) => state === 'FAILED'));
  t.ok(answered.length > 0);
});

t.test('a part that does not close keeps none of the others open, and says so', async (t) => {
  const closed: string[] = [];
  const storage = memoryStorage();
  const gateway = await createGateway({
    storage: {
      ...storage,
      close: async () => {
        closed.push('storage');
        await storage.close();
      },
    },
    cluster: { ...emptyCluster(), close: () => Promise.reject(new Error('The cluster hangs')) },
    auth: {
      authenticate: async () => undefined,
      close() {
        throw new Error('The sessions hang');
      },
    },
  });
  const [first, second] = await Promise.allSettled([gateway.close(), gateway.close()]);
  t.match(first, { status: 'rejected', reason: { errors: [/sessions hang/, /cluster hangs/] } });
  t.strictSame(second, first, 'closing again says the same');
  t.strictSame(closed, ['storage']);
});

t.test('a part whose close hangs is named in the log, and the others are closed', async (t) => {
  const hanging = () => new Promise<void>(() => {});
  const closed: string[] = [];
  const storage = memoryStorage();
  const parts = {
    storage: { ...storage, close: async () => void closed.push('storage') },
    cluster: { ...emptyCluster(), close: async () => void closed.push('cluster') },
    auth: { authenticate: async () => undefined, close: () => void closed.push('auth') },
  };
  const cases = [
    ['the storage', { storage: { ...storage, close: hanging } }],
    ['the cluster driver', { cluster: { ...emptyCluster(), close: hanging } }],
    ['the authenticator', { auth: { authenticate: async () => undefined, close: hanging } }],
  ] as const;
  for (const [part, hung] of cases) {
    const logs: LogLine[] = [];
    const gateway = await createGateway({
      ...parts,
      ...hung,
      logger: loggerInto(logs),
      timeouts: { closeMillis: 50 },
    });
    await t.rejects(gateway.close(), { message: new RegExp(`^${part} has not closed within 0.05 s$`, 'i') });
    t.match(
      logs.filter(({ level }) => level === 'error'),
      [{ fields: { event: 'gateway.part_close_failed', part }, message: 'a part did not close' }],
    );
    t.equal(logs.filter(({ level }) => level === 'error').length, 1, 'once');
    t.equal(closed.splice(0).length, 2, 'the others are closed');
  }
});

t.test('what is missing is named, and what was given is closed', async (t) => {
  const closed: string[] = [];
  const storage = { ...memoryStorage(), close: async () => void closed.push('storage') };
  // As a host in JavaScript may write it.
  const start = (options: object) => createGateway(Object.assign(Object.create(null), options));
  await t.rejects(start({ storage, auth: 'none' }), {
    name: 'TypeError',
    message: /needs the option `cluster`: .*headgate\/engine/,
  });
  t.strictSame(closed, ['storage']);
  await t.rejects(start({ cluster: emptyCluster() }), { message: /needs the option `storage`/ });
});

t.test('a driver without its directory says what it is for', async (t) => {
  for (const driver of [localCluster, filesystemStorage, processRuntime])
    for (const options of [[], [{}]])
      await t.rejects(async () => Reflect.apply(driver, undefined, options), {
        name: 'TypeError',
        message: new RegExp(`${driver.name} needs the option \`directory\`: where it keeps`),
      });
});
