import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import type { PhysOperator } from '../lib/driver-kit.js';
import { jsonObject } from '../lib/http/reply.js';
import { maxStatsItems } from '../lib/model/containers.js';
import { OperatorStatsList } from '../lib/model/logical-plan.js';
import { openPartWriter } from '../packages/history/part-files/writer.js';
import { statsReader } from '../packages/history/statistics/stats-reader.js';
import { createStatsRecorder } from '../packages/history/statistics/stats-recorder.js';
import { openWatch } from './loop/watch.js';
import { median, report } from './report.js';

// node build/bench/history.js
//
// Part files: lines a second next to a bare write stream of Node, in turn; unlike that, each part of 1 MiB is synced to the
// disk before it is in the index. Statistics: how long the host's event loop
// stands when 1,000 operators are recorded, and when the largest answer is read and encoded; what a range costs.

const root = await mkdtemp(join(tmpdir(), 'headgate-bench-'));
const lineCount = 50_000;
const line = (i: number) => `${1_000_000 + i}:${String(i).padEnd(300, 'x')}`;
const noProblem = (error: unknown) => {
  throw error;
};

async function viaParts(directory: string): Promise<number> {
  const writer = await openPartWriter(directory, {
    format: { timeOf: (text) => Number.parseInt(text, 10) },
    maxPartBytes: 1024 * 1024,
    maxPartMillis: 1e9,
    maxBytes: 64 * 1024 * 1024,
    maxPendingBytes: 1024 * 1024,
    onProblem: noProblem,
  });
  const began = performance.now();
  for (let i = 0; i < lineCount; )
    if (writer.append(line(i))) i++;
    else await writer.flushed();
  await writer.end();
  return (lineCount * 1000) / (performance.now() - began);
}

async function viaStream(path: string): Promise<number> {
  const stream = createWriteStream(path, { highWaterMark: 1024 * 1024 });
  const began = performance.now();
  for (let i = 0; i < lineCount; i++) if (!stream.write(`${line(i)}\n`)) await once(stream, 'drain');
  stream.end();
  await finished(stream);
  return (lineCount * 1000) / (performance.now() - began);
}

const operator = (id: number): PhysOperator => ({
  id: String(id),
  name: `operator ${id % 100}`,
  logicalName: `operator ${id % 100}`,
  className: 'headgate.aggregate.Count',
  container: 'container_1448029842912_0001_01_000002',
  host: 'localhost',
  status: 'ACTIVE',
  cpuPercentageMA: 12.34567,
  currentWindowId: '6219288741286805505',
  recoveryWindowId: '6219288741286805405',
  failureCount: 0,
  lastHeartbeat: 1_448_029_842_912,
  latencyMA: 12,
  recordingStartTime: -1,
  totalTuplesEmitted: 123_456_789,
  totalTuplesProcessed: 123_456_789,
  tuplesEmittedPSMA: 1234.5,
  tuplesProcessedPSMA: 1234.5,
  ports: ['input', 'output'].map((name) => ({
    name,
    type: name === 'input' ? 'input' : 'output',
    totalTuples: 123_456_789,
    tuplesPSMA: 1234.5,
    bufferServerBytesPSMA: 12_345.6,
    queueSizeMA: 12,
  })),
  isUnifier: false,
  unifierClass: null,
});

const watch = openWatch();
async function standing(run: () => Promise<unknown>): Promise<{ millis: number; longest: number }> {
  watch.start();
  const began = performance.now();
  await run();
  const millis = performance.now() - began;
  return { millis, longest: await watch.stop() };
}

async function recorded(directory: string, operators: readonly PhysOperator[], ticks: number) {
  let now = 1_000_000;
  const recorder = createStatsRecorder(directory, {
    statsBytes: 32 * 1024 * 1024,
    statsMillis: 1e9,
    everyMillis: 1e9,
    now: () => now,
    onProblem: noProblem,
  });
  const took: { millis: number; longest: number }[] = [];
  for (let i = 0; i < ticks; i++) {
    now += 1000;
    took.push(
      await standing(async () => {
        recorder.watch({ containers: () => [], operators: () => operators });
        await recorder.settled();
      }),
    );
  }
  await recorder.end();
  return took;
}

async function answered(directory: string, range: { startTime?: number; endTime?: number }) {
  const reader = statsReader(directory, { applicationId: 'app', isOver: true, settled: async () => {} });
  let bytes = 0;
  const took = await standing(async () => {
    const items = await reader.operator('operator 1', { ...range, limit: maxStatsItems });
    const { body } = jsonObject(OperatorStatsList).encode({ operatorStats: [...items] });
    if (typeof body !== 'object' || body === null || !(Symbol.iterator in body)) return;
    for (const piece of body) {
      bytes += piece.length;
      await setImmediate();
    }
  });
  return { ...took, bytes };
}

try {
  const rates: { parts: number; stream: number }[] = [];
  for (let round = 0; round < 7; round++)
    rates.push({
      parts: await viaParts(join(root, `parts${round}`)),
      stream: await viaStream(join(root, `stream${round}`)),
    });
  const many = Array.from({ length: 1000 }, (_, id) => operator(id));
  const ticks = (await recorded(join(root, 'many'), many, 6)).slice(1);
  const directory = join(root, 'long');
  const pile = Array.from({ length: 50 }, (_, i) => ({ ...operator(1), id: String(i) }));
  await recorded(directory, pile, 500);
  const newest = [];
  for (let round = 0; round < 5; round++) newest.push(await answered(directory, {}));
  const slice = await answered(directory, { startTime: 1_200_000, endTime: 1_203_000 });
  const holds = report('histories', [
    { what: 'bare write stream', figure: median(rates.map(({ stream }) => stream)), unit: 'lines/s' },
    { what: 'part files', figure: median(rates.map(({ parts }) => parts)), unit: 'lines/s' },
    {
      what: 'part files / bare write stream',
      figure: median(rates.map(({ parts, stream }) => parts / stream)),
      peer: 'a bare write stream',
      goal: { atLeast: 0.25 },
    },
    {
      what: 'recording 1,000 operators: loop stands',
      figure: median(ticks.map(({ longest }) => longest)),
      unit: 'ms',
      goal: { atMost: 50 },
    },
    { what: 'recording 1,000 operators', figure: median(ticks.map(({ millis }) => millis)), unit: 'ms' },
    { what: 'answer of 10,000 items', figure: (newest[0]?.bytes ?? 0) / 1e6, unit: 'MB' },
    { what: 'reading and encoding it', figure: median(newest.map(({ millis }) => millis)), unit: 'ms' },
    {
      what: 'reading and encoding it: loop stands',
      figure: median(newest.map(({ longest }) => longest)),
      unit: 'ms',
      goal: { atMost: 50 },
    },
    { what: '200 items in the middle of 25,000', figure: slice.millis, unit: 'ms' },
  ]);
  process.exitCode = holds ? 0 : 1;
} finally {
  await rm(root, { recursive: true, force: true });
}
