import { fork } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ClusterDriver, JsonApplication } from '../lib/driver-kit.js';
import { compareWithFlink } from './engine/compare.js';
import { withEngine } from './engine/driver.js';
import { cpuSeconds } from './engine/processor-time.js';
import { type Line, median, report } from './report.js';

// Throughput of the embedded engine, next to its goals and to plain programs that do the same without an engine:
// object streams inside a process, and lines of JSON over a local socket between two; and three pipelines next to the same
// in a real Flink. As an argument one of these parts, and nothing else: `recordings`, `throughput`, `flink`.

const warmUp = 3000;
const measured = 8000;

async function main(driver: ClusterDriver, directory: string): Promise<void> {
  const only = process.argv[2];
  if (only === undefined || only === 'recordings') await recordings(driver);
  if (only === undefined || only === 'throughput') await throughput(driver, directory);
  if (only === undefined || only === 'flink') lines.push(...(await compareWithFlink(driver, directory)));
}

async function recordings(driver: ClusterDriver): Promise<void> {
  await recorded(driver, 'source -> map -> count', chainOf(0, 'CONTAINER_LOCAL'), 'perCpuSecond');
  await recorded(driver, 'the same with 200 B', chainOf(200, 'CONTAINER_LOCAL'), 'perCpuSecond');
  await recorded(driver, '20,000/s of 200 B', chainOf(200, 'CONTAINER_LOCAL', 20_000), 'perSecond');
}

async function throughput(driver: ClusterDriver, directory: string): Promise<void> {
  const plain = await plainStreams();
  note('node:stream pipeline: source -> map -> count', plain);
  note(
    'one container: source -> map -> count',
    await run(driver, chainOf(0, 'CONTAINER_LOCAL'), 'count'),
    500_000,
  );
  const socket = await plainSocket(directory);
  note('plain JSON lines over a socket, 200 B', socket);
  const across = await run(driver, acrossOf(200), 'count');
  note('two containers, 200 B', across, 150_000);
  lines.push({
    what: 'two containers / plain socket, per CPU second',
    figure: across.perCpuSecond / socket.perCpuSecond,
    peer: 'a plain socket',
  });
}

const lines: Line[] = [];

interface Throughput {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

function note(what: string, { perSecond, perCpuSecond }: Throughput, atLeast?: number): void {
  const goal = atLeast === undefined ? {} : { goal: { atLeast } };
  lines.push(
    { what, figure: perSecond, unit: 'tuples/s', ...goal },
    { what: '  per CPU second', figure: perCpuSecond, unit: 'tuples' },
  );
}

async function run(driver: ClusterDriver, application: JsonApplication, reader: string) {
  const id = await driver.resourceManager.launcher?.launch({ user: 'bench', name: 'bench', application });
  if (id === undefined) throw new Error('no launcher');
  while ((await driver.resourceManager.getApplication(id)).state !== 'RUNNING') await delay(50);
  const master = await driver.master(id);
  const sample = async () => {
    const [operator] = (await master.logicalOperators()).filter(({ name }) => name === reader);
    const containers = (await master.containers()).filter(
      ({ containerType }) => containerType === 'STREAMING',
    );
    const cpu = containers.reduce((sum, { jvmName }) => sum + cpuSeconds(Number.parseInt(jvmName, 10)), 0);
    return { tuples: operator?.totalTuplesProcessed ?? 0, at: operator?.lastHeartbeat ?? 0, cpu };
  };
  await delay(warmUp);
  const before = await sample();
  await delay(measured);
  const after = await sample();
  for (const { name, cpuPercentageMA, latencyMA } of await master.logicalOperators())
    console.log(
      `    ${name}: ${(cpuPercentageMA ?? 0).toFixed(1)} % of a core, latency ${(latencyMA ?? 0).toFixed(1)} ms`,
    );
  await driver.resourceManager.kill(id);
  while ((await driver.resourceManager.getApplication(id)).finalStatus === 'UNDEFINED') await delay(20);
  const tuples = after.tuples - before.tuples;
  return {
    perSecond: (tuples * 1000) / (after.at - before.at),
    perCpuSecond: tuples / (after.cpu - before.cpu),
  };
}

const slices = 8;
const sliceMillis = 2000;

/**
 * The same application with and without a recording of its middle operator, in turns. One that runs as fast as it goes is
 * compared by the CPU time that its tuples take, since the machine does other things too.
 */
async function recorded(
  driver: ClusterDriver,
  what: string,
  application: JsonApplication,
  by: 'perSecond' | 'perCpuSecond',
): Promise<void> {
  const attributes = { HEARTBEAT_INTERVAL_MILLIS: 100 };
  const id = await driver.resourceManager.launcher?.launch({
    user: 'bench',
    name: 'bench',
    application: { ...application, attributes },
  });
  if (id === undefined) throw new Error('no launcher');
  while ((await driver.resourceManager.getApplication(id)).state !== 'RUNNING') await delay(50);
  const master = await driver.master(id);
  const { recorder } = master;
  if (!recorder) throw new Error('no recorder');
  const operatorId = (await master.physicalPlan()).operators.find(({ name }) => name === 'map')?.id ?? '';
  const pid = (await master.containers()).find(({ containerType }) => containerType === 'STREAMING')?.jvmName;
  const sample = async () => {
    const { operators } = await master.physicalPlan();
    const tuples = operators.find(({ name }) => name === 'count')?.totalTuplesProcessed ?? 0;
    return { tuples, cpu: cpuSeconds(Number.parseInt(pid ?? '', 10)), at: performance.now() / 1000 };
  };
  const slice = async () => {
    await delay(300);
    const before = await sample();
    await delay(sliceMillis);
    const after = await sample();
    const tuples = after.tuples - before.tuples;
    return {
      perSecond: tuples / (after.at - before.at),
      perCpuSecond: tuples / (after.cpu - before.cpu),
    };
  };
  await delay(warmUp);
  const off: Awaited<ReturnType<typeof slice>>[] = [];
  const on: typeof off = [];
  let kept = 0;
  let skipped = 0;
  for (let i = 0; i < slices; i++) {
    off.push(await slice());
    const recordingId = await recorder.start(operatorId, {});
    on.push(await slice());
    const recording = await recorder.read(operatorId, recordingId);
    kept += recording.totalTuples;
    skipped += recording.skippedTuples ?? 0;
    await recorder.stop(operatorId, {}).catch(() => {});
    await recorder.remove(operatorId, recordingId);
  }
  await driver.resourceManager.kill(id);
  while ((await driver.resourceManager.getApplication(id)).finalStatus === 'UNDEFINED') await delay(20);
  const middle = (all: typeof off, figure: typeof by) => median(all.map((one) => one[figure]));
  const each = (all: typeof off) => ({
    perSecond: middle(all, 'perSecond'),
    perCpuSecond: middle(all, 'perCpuSecond'),
  });
  note(`not recorded, ${what}`, each(off));
  note(`recorded, ${what}`, each(on));
  lines.push(
    {
      what: `recorded / not recorded, ${what}`,
      figure: middle(on, by) / middle(off, by),
      peer: 'not recorded',
      goal: { atLeast: 0.9 },
    },
    { what: '  of the tuples kept', figure: (100 * kept) / (kept + skipped), unit: '%' },
  );
}

const operator = (name: string, type: string, properties = {}) => ({
  name,
  class: `bench.${type}`,
  properties,
});
const stream = (from: string, to: string, locality?: 'CONTAINER_LOCAL') => ({
  name: from,
  source: { operatorName: from, portName: 'out' },
  sinks: [{ operatorName: to, portName: 'in' }],
  ...(locality ? { locality } : {}),
});
const chainOf = (bytes: number, locality: 'CONTAINER_LOCAL', perSecond = 0) => ({
  operators: [
    operator('source', 'Source', { bytes, perSecond }),
    operator('map', 'Double'),
    operator('count', 'Count'),
  ],
  streams: [stream('source', 'map', locality), stream('map', 'count', locality)],
});
const acrossOf = (bytes: number) => ({
  operators: [operator('source', 'Source', { bytes }), operator('count', 'Count')],
  streams: [stream('source', 'count')],
});

/** What one writes without an engine: object streams. */
async function plainStreams() {
  let next = 0;
  let count = 0;
  const cpu = process.cpuUsage();
  const began = performance.now();
  const source = new Readable({
    objectMode: true,
    read() {
      this.push(performance.now() - began < 3000 ? next++ : null);
    },
  });
  const map = new Transform({
    objectMode: true,
    transform(value: number, _encoding, done) {
      done(null, value * 2);
    },
  });
  const sink = new Writable({
    objectMode: true,
    write(_value, _encoding, done) {
      count++;
      done();
    },
  });
  await pipeline(source, map, sink);
  const used = process.cpuUsage(cpu);
  return {
    perSecond: (count * 1000) / (performance.now() - began),
    perCpuSecond: (count * 1e6) / (used.user + used.system),
  };
}

/** Two processes, one writing lines, one reading them, each waiting for the other's buffers. */
async function plainSocket(directory: string) {
  const path = join(directory, 'plain.sock');
  const self = fileURLToPath(import.meta.url);
  const receiver = fork(self, ['plain-receiver', path]);
  const result = new Promise<{ perSecond: number; perCpuSecond: number }>((resolve) => {
    receiver.on('message', (message) => {
      const { tuples, millis, cpu } = message as { tuples: number; millis: number; cpu: number };
      const total = cpu + cpuSeconds(sender?.pid ?? 0);
      resolve({ perSecond: (tuples * 1000) / millis, perCpuSecond: tuples / total });
    });
  });
  await delay(300);
  const sender = fork(self, ['plain-sender', path]);
  const done = await result;
  sender.kill();
  receiver.kill();
  return done;
}

function plainSender(path: string): void {
  const socket = connect(path);
  let next = 0;
  const text = 'x'.repeat(200);
  const pump = () => {
    for (let i = 0; i < 1000; i++)
      if (!socket.write(`${JSON.stringify(`${next++}${text}`.slice(0, 200))}\n`)) {
        socket.once('drain', pump);
        return;
      }
    setImmediate(pump);
  };
  socket.on('connect', pump);
  socket.on('error', () => process.exit(0));
}

function plainReceiver(path: string): void {
  createServer((socket) => {
    let rest = '';
    let tuples = 0;
    const began = performance.now();
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (typeof JSON.parse(line) === 'string') tuples++;
      const millis = performance.now() - began;
      if (millis < 4000) return;
      const { user, system } = process.cpuUsage();
      process.send?.({ tuples, millis, cpu: (user + system) / 1e6 });
      socket.destroy();
    });
  }).listen(path);
}

if (process.argv[2] === 'plain-sender') plainSender(process.argv[3] ?? '');
else if (process.argv[2] === 'plain-receiver') plainReceiver(process.argv[3] ?? '');
else {
  const operators = ['./engine-operators.js', './engine/peer-operators.js'];
  await withEngine(
    main,
    operators.map((file) => new URL(file, import.meta.url)),
  );
  process.exitCode = report('Engine', lines) ? 0 : 1;
}
