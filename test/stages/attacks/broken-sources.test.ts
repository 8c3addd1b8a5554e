import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { openSource } from '../../../lib/driver-kit.js';
import { processRuntime } from '../../../packages/containers/index.js';
import { testFolder } from '../../helpers/folder.js';
import { newGateway } from '../../helpers/gateway.js';
import { packageOf } from '../../helpers/packages.js';

// The far end of `srcUrl` resets its connections at every moment, and services are deleted at every moment of their
// installation: the process of the host lives on. An error without a listener would end it, which `tap` makes a failure.

const forMillis = 10_000;

const reached: unknown[] = [];
const hear = (error: unknown) => reached.push(error);
process.on('uncaughtException', hear).on('unhandledRejection', hear);
t.teardown(() => process.off('uncaughtException', hear).off('unhandledRejection', hear));

const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\ncontent-length: 1000000\r\n\r\n';

/** Resets after as many milliseconds as the path says, or at once with the head of the answer. */
async function resetting(): Promise<{ port: number; resets: () => number; close(): void }> {
  let resets = 0;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
    socket.once('data', async (request: Buffer) => {
      const after = Number(/\/(\d+)/.exec(request.toString('latin1'))?.[1] ?? 0);
      socket.write(after === 0 ? head : head + 'x'.repeat(1000));
      await delay(after);
      resets++;
      socket.resetAndDestroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    port,
    resets: () => resets,
    close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

t.test('sources that nobody reads, at once or at all', async (t) => {
  const far = await resetting();
  t.teardown(far.close);
  for (let round = 0; round < 200; round++) {
    const control = new AbortController();
    const url = `http://127.0.0.1:${far.port}/${round % 8}`;
    const source = await openSource(url, { maxBytes: 2 ** 20, signal: control.signal }).catch(
      () => undefined,
    );
    if (round % 3 === 0) control.abort(new Error('The service was deleted'));
    await delay(round % 5);
    if (round % 2 === 0) source?.content.destroy();
  }
  await delay(50);
  t.strictSame(reached, []);
});

t.test('services that are installed from there, and deleted meanwhile', async (t) => {
  const far = await resetting();
  const { client } = await newGateway(t, {
    containers: processRuntime({ directory: testFolder(t) }),
    services: { limits: { retryFirstMillis: 1, retryMostMillis: 5 } },
  });
  t.teardown(far.close);
  let deleted = 0;
  const one = async (number: number) => {
    for (const until = performance.now() + forMillis; performance.now() < until; ) {
      const params = { name: `s${number}` };
      const srcUrl = `http://127.0.0.1:${far.port}/${deleted % 12}`;
      await client
        .putService({
          params,
          body: { type: 'container', srcUrl, container: { run: 'sh -c true' } },
        })
        .catch(() => {});
      await client.startService({ params }).catch(() => {});
      await delay(deleted % 15);
      await client.deleteService({ params }).then(
        () => deleted++,
        () => {},
      );
    }
  };
  await Promise.all([1, 2, 3, 4].map(one));
  t.comment(`${far.resets()} resets, ${deleted} deletions`);
  t.ok(far.resets() > 20 && deleted > 20, 'both happened');
  t.strictSame(reached, []);
});

const sent = packageOf({ name: 'streamed' }, { 'data/random': randomBytes(2 ** 20) });
const okay = `HTTP/1.1 200 OK\r\ncontent-length: ${sent.length}\r\n\r\n`;
/** How much of its answer the far end has sent when the service is deleted. */
const moments: Readonly<Record<string, readonly (string | Buffer)[]>> = {
  'before the answer': [],
  'after the head': [okay],
  'in the middle': [okay, sent.subarray(0, sent.length / 2)],
  'before the last byte': [okay, sent.subarray(0, -1)],
};

/** Is asked by one connection at a time, and sends what it is told. */
async function obedient() {
  let hear = (_socket: Socket) => {};
  // One that nobody asks anything is the client's, for later.
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => hear(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    server,
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/streamed.apa`,
    asked: () =>
      new Promise<Socket>((resolve) => {
        hear = resolve;
      }),
  };
}

t.test('a service is deleted while its source streams', async (t) => {
  const directory = testFolder(t);
  const far = await obedient();
  const { client, logs } = await newGateway(t, { containers: processRuntime({ directory }) });
  t.teardown(() => far.server.close());
  const kinds = {
    container: { type: 'container', srcUrl: far.url, container: { run: 'sh -c true' } },
    engine: { type: 'engine', srcUrl: far.url, engine: { appName: 'streamed' } },
  } as const;
  const ends: Readonly<Record<string, (socket: Socket) => void>> = {
    'goes on': () => {},
    'resets it at that moment': (socket) => socket.resetAndDestroy(),
    'sends the rest at that moment': (socket) => socket.end(sent),
  };
  for (const [kind, body] of Object.entries(kinds))
    for (const [moment, pieces] of Object.entries(moments))
      for (const [what, end] of Object.entries(ends)) {
        const params = { name: 'streamed' };
        const asking = far.asked();
        await client.putService({ params, body });
        const socket = await asking;
        const closed = new Promise((resolve) => socket.once('close', resolve));
        for (const piece of pieces) await new Promise((taken) => socket.write(piece, taken));
        const deleting = client.deleteService({ params });
        end(socket);
        await deleting;
        await closed;
        const { services } = await client.listServices();
        const [home = ''] = await readdir(directory);
        const left = [...services.map(({ name, state }) => `${name} ${state}`)];
        left.push(...(await readdir(join(directory, home))));
        t.strictSame([left, reached], [[], []], `${kind}, ${moment}, and the far end ${what}`);
      }
  t.strictSame((await client.listPackages()).appPackages, [], 'no package of it is there');
  t.strictSame(
    logs.filter(({ level }) => level === 'error'),
    [],
  );
});
