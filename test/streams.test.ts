import { fork, spawn } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex, PassThrough, Readable, Transform } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createInflateRaw } from 'node:zlib';
import t from 'tap';
import { Text } from '../lib/http/reply.js';
import { owned, ownedProcess } from '../lib/runtime/owned.js';
import { type Maker, makersIn, makersOf } from './helpers/makers.js';

// An `error` that nobody hears ends the host's process. So whatever may have one has an owner from the line on which it
// is made: the sources are read for places that make such a thing without.

/** Files whose things are not the host's, or that can't have the owner, and why. */
const exempt: Readonly<Record<string, string>> = {
  'lib/client/socket.ts':
    'of whoever uses the client; listens on the next lines, and browsers know no emitters',
  'packages/engine/container/hub-publisher.ts': 'runs in a container',
  'packages/engine/container/main.ts': 'runs in a container',
  'packages/engine/container/publisher-server.ts': 'runs in a container',
  'packages/engine/container/subscriber.ts': 'runs in a container',
  'packages/engine/container/watchdog.ts': 'runs in a container',
  'packages/operators/http-get.ts': 'runs in a container',
  'packages/containers/process/listens.ts':
    'runs in the supervisor, a process of its own, and listens itself',
  'packages/containers/process/run-program.ts':
    'runs in the supervisor, a process of its own, and listens itself',
  'packages/containers/process/identity.ts':
    'the supervisor loads it too, and nothing of the gateway; execFile listens',
  'packages/containers/process/memory.ts':
    'the supervisor loads it too, and nothing of the gateway; execFile listens',
};

/** These run in a test runner, not in a host. */
const isContract = ({ file }: Maker) => /^(packages\/contracts\/|lib\/host-probe\.ts)/.test(file);

const makers = makersIn(['lib', 'adapters', 'packages']).filter((maker) => !isContract(maker));
const placeOf = ({ file, line, name }: Maker) => `${file}:${line} ${name}`;

t.test('whatever may fail by itself is owned where it is made', async (t) => {
  const without = makers.filter(({ file, isOwned }) => !isOwned && !(file in exempt));
  t.strictSame(without.map(placeOf), [], 'wrap it in owned() or ownedProcess() of lib/runtime/owned.ts');
  t.ok(makers.filter(({ isOwned }) => isOwned).length > 60, 'they are found at all');
  const needed = new Set(makers.filter(({ isOwned }) => !isOwned).map(({ file }) => file));
  t.strictSame(
    Object.keys(exempt).filter((file) => !needed.has(file)),
    [],
    'no exemption is left over',
  );
});

t.test('the reading of the sources knows the ways in which such things are made', async (t) => {
  const found = (text: string) => makersOf('x.ts', text).map(({ name, isOwned }) => [name, isOwned]);
  t.strictSame(found("import { spawn } from 'node:child_process'; spawn('x');"), [['spawn', false]]);
  t.strictSame(found("import { spawn } from 'node:child_process'; ownedProcess(spawn('x'));"), [
    ['spawn', true],
  ]);
  t.strictSame(found("import { connect as open } from 'node:net'; open(1);"), [['open', false]]);
  t.strictSame(found("import * as net from 'node:net'; net.connect(1);"), [['net.connect', false]]);
  t.strictSame(found("import { request } from 'node:http'; const send = a ? b : request;"), [
    ['request', false],
  ]);
  t.strictSame(found("import { Readable } from 'node:stream'; a instanceof Readable; Readable.from([]);"), [
    ['Readable.from', false],
  ]);
  t.strictSame(found('owned(file.createReadStream()); file.createWriteStream();'), [
    ['file.createReadStream', true],
    ['file.createWriteStream', false],
  ]);
  t.strictSame(found("const { WebSocket } = await import('ws'); new WebSocket(url);"), [
    ['WebSocket', false],
  ]);
  t.strictSame(found("import { connect } from './own.js'; connect();"), []);
});

/** What would have ended the process; the test's own listener stands in for the end. */
function watched(t: Tap) {
  const reached: unknown[] = [];
  const hear = (error: unknown) => reached.push(error);
  const exceptions = process.listeners('uncaughtException');
  const rejections = process.listeners('unhandledRejection');
  process.removeAllListeners('uncaughtException').on('uncaughtException', hear);
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', hear);
  t.teardown(() => {
    process.off('uncaughtException', hear).off('unhandledRejection', hear);
    for (const listener of exceptions) process.on('uncaughtException', listener);
    for (const listener of rejections) process.on('unhandledRejection', listener);
  });
  return reached;
}
type Tap = { teardown(clean: () => unknown): void };

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await setImmediate();
}

async function* endless() {
  for (;;) {
    await setImmediate();
    yield Buffer.from('x');
  }
}

/** Each kind of thing that the sources make. */
const kinds: Readonly<Record<string, () => EventEmitter & { destroy(error?: Error): unknown }>> = {
  'Readable.from': () => owned(Readable.from(endless())),
  'Readable.fromWeb': () =>
    owned(
      Readable.fromWeb(
        new ReadableStream({
          async pull(control) {
            await setImmediate();
            control.enqueue(Buffer.from('x'));
          },
        }),
      ),
    ),
  'new Readable': () => owned(new Readable({ read() {} })),
  'new Transform': () => owned(new Transform()),
  'new PassThrough': () => owned(new PassThrough()),
  'a duplex': () => owned(new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })),
  createInflateRaw: () => owned(createInflateRaw()),
  createReadStream: () => owned(createReadStream(fileURLToPath(import.meta.url))),
  'createReadStream of no file': () => owned(createReadStream(join(tmpdir(), 'headgate-no-such-file'))),
  'createWriteStream where none may be': () =>
    owned(createWriteStream(join(tmpdir(), 'headgate-no/such/file'))),
  'connect, refused': () => owned(connect({ port: 1, host: '127.0.0.1' })),
  'request, refused': () => owned(request({ port: 1, host: '127.0.0.1', agent: false })),
  'an answer': () => {
    const stream = new Readable({ read() {} });
    new Text(stream);
    return stream;
  },
};

for (const [kind, make] of Object.entries(kinds)) {
  t.test(`${kind}: destroyed at any moment, nothing reaches the process`, async (t) => {
    const reached = watched(t);
    for (const error of [undefined, new Error('reset')]) {
      for (const wait of [0, 1, 3]) {
        const unread = make();
        await turns(wait);
        unread.destroy(error);
        unread.destroy(new Error('again'));
        const read = make();
        const reader = () => {};
        read.on('data', reader);
        await turns(wait);
        read.destroy(error);
      }
    }
    await turns(5);
    t.strictSame(reached, []);
  });
}

t.test('a process that can not be started, and one that is gone while it is spoken to', async (t) => {
  const reached = watched(t);
  const missing = ownedProcess(spawn(join(tmpdir(), 'headgate-no-such-program'), { stdio: 'pipe' }));
  missing.stdin?.write('x');
  const gone = ownedProcess(
    spawn(process.execPath, ['-e', ''], { stdio: ['pipe', 'ignore', 'ignore', 'pipe'] }),
  );
  const ended = new Promise((resolve) => gone.once('exit', resolve));
  gone.stdin?.write(Buffer.alloc(1024 ** 2));
  for (const channel of gone.stdio) channel?.destroy(new Error('reset'));
  const child = ownedProcess(
    fork(fileURLToPath(import.meta.resolve('typescript')), { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }),
  );
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await closed;
  child.send('anybody there?');
  await ended;
  await turns(5);
  t.strictSame(reached, []);
});

t.test('a server whose place is taken', async (t) => {
  const reached = watched(t);
  const first = owned(createServer());
  await new Promise<void>((resolve) => first.listen(0, '127.0.0.1', resolve));
  const second = owned(createServer());
  second.listen(first.address());
  const failed = new Promise((resolve) => second.once('error', resolve));
  t.match(await failed, { code: 'EADDRINUSE' }, 'who listens hears of it');
  first.close();
  await turns(5);
  t.strictSame(reached, []);
});

t.test('who reads later hears of the failure all the same', async (t) => {
  const broken = owned(Readable.from(endless()));
  broken.destroy(new Error('reset by the far end'));
  await turns(3);
  await t.rejects(
    (async () => {
      for await (const _ of broken);
    })(),
    { message: 'reset by the far end' },
  );
});
