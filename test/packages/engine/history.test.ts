import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import type { Container, PhysOperator } from '../../../lib/driver-kit.js';
import { NotFound } from '../../../lib/index.js';
import { createDeployLog, deployReader } from '../../../packages/engine/history/deployments.js';
import { eventData } from '../../../packages/engine/history/event-data.js';
import { eventReader, openEventHistory } from '../../../packages/engine/history/events.js';
import { localCluster } from '../../../packages/engine/index.js';
import {
  eventFormat,
  formatEvent,
  parseEvent,
} from '../../../packages/history/events-and-stats/event-lines.js';
import { folderOf } from '../../../packages/history/statistics/stats-lines.js';
import { statsReader } from '../../../packages/history/statistics/stats-reader.js';
import { createStatsRecorder } from '../../../packages/history/statistics/stats-recorder.js';

// What the engine writes down of an application, file by file.

function newDirectory(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'headgate-history-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const fails = (error: unknown) => {
  throw error;
};

t.test('a line of an event is read as it was written', async (t) => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.nat(),
      fc.stringMatching(/^\w{1,20}$/),
      fc.dictionary(
        fc.string().filter((name) => name !== 'id' && name !== '__proto__'),
        fc.string(),
      ),
      (id, timestamp, type, data) => {
        const event = { id: String(id), timestamp, type, data: { ...data } };
        const line = formatEvent(event);
        t.notOk(line.includes('\n'));
        t.equal(eventFormat.timeOf(line), timestamp);
        t.strictSame(parseEvent(line), event);
      },
    ),
    { numRuns: 50 },
  );
  for (const damaged of [
    '',
    '1:StopContainer',
    '1:StopContainer:{"id":"1"',
    '1:A:{}',
    'x:A:{"id":"1"}',
    '1:A:[]',
  ])
    t.equal(parseEvent(damaged), undefined, damaged);
});

t.test('an event has a level, and no text that nobody reads to its end', async (t) => {
  t.strictSame(eventData('CreateOperator', { operatorId: '1' }), { logLevel: 'INFO', operatorId: '1' });
  t.strictSame(eventData('OperatorError', { logLevel: 'WARN' }), { logLevel: 'WARN' });
  const { errorMessage = '', logLevel } = eventData('OperatorError', { errorMessage: 'x'.repeat(1e6) });
  t.equal(logLevel, 'ERROR');
  t.ok(errorMessage.length < 20_000 && errorMessage.endsWith('...'));
});

t.test('events go on where an earlier host left off, within their limit', async (t) => {
  const directory = newDirectory(t);
  const limits = { eventBytes: 20_000, onProblem: fails };
  const reader = eventReader(directory, async () => {});
  for (let round = 0; round < 3; round++) {
    const history = await openEventHistory(directory, limits);
    for (let i = 0; i < 200; i++) {
      const event = history.add('StopContainer', { containerId: `container_${i}` }, 1000 + i);
      t.equal(event.id, String(round * 200 + i + 1));
    }
    await history.end();
  }
  const all = await reader.read({ offset: 0, limit: 1000 });
  t.ok(all.length > 100 && all.length < 400, `${all.length} of 600 are left`);
  t.strictSame(
    all.map(({ id }) => Number(id)),
    all.map((_, index) => 601 - all.length + index),
    'the newest',
  );
  const folder = join(directory, 'events');
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  t.ok(bytes < 22_000, `${bytes} bytes`);
  t.strictSame(await reader.read({ offset: 2, limit: 3 }), all.slice(-5, -2));
});

t.test('a folder for each name, on every file system', async (t) => {
  t.equal(folderOf('count'), 'count');
  const names = [
    'Count',
    'COUNT',
    'a/b',
    'a-b',
    'a b',
    '..',
    '.',
    '',
    '名',
    '名'.repeat(128),
    'x'.repeat(128),
    'c:d',
    'a.out#unifier',
  ];
  const folders = names.map(folderOf);
  t.equal(new Set([...folders, 'count'].map((folder) => folder.toLowerCase())).size, names.length + 1);
  for (const folder of folders) t.match(folder, /^[a-z\d_-][a-z\d._-]{0,99}$|^\.[a-f\d]{16}$/);
});

const operator = (id: string, name: string, more: Partial<PhysOperator> = {}): PhysOperator => ({
  id,
  name,
  logicalName: name,
  className: 'test.Operator',
  container: 'container_2',
  host: 'here',
  status: 'ACTIVE',
  cpuPercentageMA: 1,
  currentWindowId: '2',
  recoveryWindowId: '1',
  failureCount: 0,
  lastHeartbeat: 1000,
  latencyMA: 1,
  recordingStartTime: -1,
  totalTuplesEmitted: 10,
  totalTuplesProcessed: 10,
  tuplesEmittedPSMA: 1,
  tuplesProcessedPSMA: 1,
  ports: [],
  isUnifier: false,
  unifierClass: null,
  ...more,
});

const container = (number: number): Container => ({
  id: `container_${number}`,
  host: 'here',
  state: 'ACTIVE',
  jvmName: '1@here',
  lastHeartbeat: 1000,
  numOperators: 1,
  operators: {},
  memoryMBAllocated: 128,
  memoryMBFree: 100,
  gcCollectionTime: 0,
  gcCollectionCount: 0,
  containerLogsUrl: '',
  rawContainerLogsUrl: '',
  startedTime: 1000,
  finishedTime: -1,
  containerType: 'STREAMING',
});

const sizeOf = (directory: string): number =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.startsWith('part'))
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

t.test('statistics keep to their bytes, however many operators and containers there were', async (t) => {
  const directory = newDirectory(t);
  let now = 1_000_000;
  const options = { statsBytes: 400_000, statsMillis: 1e9, everyMillis: 1, now: () => now, onProblem: fails };
  const recorder = createStatsRecorder(directory, options);
  let looks = 0;
  recorder.watch({
    containers: () => [container(looks * 2), container(looks * 2 + 1)],
    operators: () => {
      looks++;
      now += 10;
      return [
        operator('1', 'a'),
        operator('2', 'b'),
        operator('3', 'b'),
        operator('4', 'c', { lastHeartbeat: -1 }),
      ];
    },
  });
  const reader = statsReader(directory, { applicationId: 'app', isOver: false, settled: recorder.settled });
  t.strictSame((await reader.operatorMeta('b')).operatorIds, ['2', '3'], 'told from the beginning');
  await new Promise<void>((resolve) => {
    const poll = setInterval(() => {
      if (looks < 1500) return;
      clearInterval(poll);
      resolve();
    }, 10);
  });
  await recorder.end();
  const size = sizeOf(directory);
  t.ok(size > 100_000 && size <= 400_000 + 4000, `${size} bytes`);
  const meta = await reader.operatorMeta('b');
  t.equal(meta.ended, true);
  t.ok(meta.count < looks * 2, 'the oldest are gone');
  // The clock goes on while the view is taken.
  t.equal(meta.endTime, now - 10, 'recorded a last time');
  t.equal((await reader.operatorMeta('c')).count, 0, 'nothing before the first heartbeat');
  t.strictSame(await reader.operator('c', { limit: 10 }), []);
  const { containers } = await reader.containersMeta();
  t.ok(Object.keys(containers).length <= 1000, 'the newest are told of');
  const [last] = (await reader.containers({ limit: 1 })).slice(-1);
  t.ok(containers[last?.containerId ?? '']);
  await t.rejects(reader.operator('d', { limit: 10 }), NotFound);
  const items = await reader.operator('b', { limit: 10 });
  t.strictSame(Object.keys(items[0]?.stats ?? {}).includes('className'), false);
});

t.test('statistics of operators that left the plan go in the end', async (t) => {
  const directory = newDirectory(t);
  const limits = { statsBytes: 10_000_000, statsMillis: 1e9 };
  const recorder = createStatsRecorder(directory, {
    ...limits,
    everyMillis: 1e6,
    now: Date.now,
    onProblem: fails,
  });
  for (let i = 0; i < 80; i++) {
    recorder.watch({
      containers: () => [],
      operators: () => [operator(String(i), `op${i}`), operator('stays', 'stays')],
    });
    await recorder.settled();
  }
  await recorder.end();
  const folders = readdirSync(join(directory, 'stats', 'operators'));
  t.equal(folders.length, 52, 'two that are there, and the newest 50');
  const reader = statsReader(directory, { applicationId: 'app', isOver: true, settled: async () => {} });
  await t.rejects(reader.operatorMeta('op0'), NotFound);
  t.match(await reader.operatorMeta('op40'), { count: 1, ended: true, operatorIds: ['40'] });
  t.equal((await reader.operatorMeta('stays')).count, 81);
});

t.test('an interval that no timer has is refused', async (t) => {
  for (const statsIntervalMillis of [0, -1, Number.NaN, 2 ** 31])
    t.throws(() => localCluster({ directory: 'unused', statsIntervalMillis }), {
      name: 'TypeError',
      message: /^localCluster: statsIntervalMillis must be at least 1 and at most 2147483647/,
    });
});

t.test('deployments: the newest of each operator, in a file that does not grow for ever', async (t) => {
  const directory = newDirectory(t);
  const log = createDeployLog(directory, fails);
  const operators = () => [
    { id: '1', name: 'source' },
    { id: '3', name: 'never' },
  ];
  const reader = deployReader(directory, { operators, settled: log.settled });
  for (let i = 0; i < 1500; i++) {
    const deployment = { id: '1', name: 'source', container: `container_${i}`, startTime: i };
    log.add(deployment);
    log.add({ ...deployment, startTime: i + 1 });
    if (i % 100 === 0) await log.settled();
  }
  log.add({ id: '2', name: 'gone', container: 'container_1', startTime: 5 });
  const { name, containers } = await reader.read('1');
  t.equal(name, 'source');
  t.equal(containers.length, 100);
  t.strictSame(containers.at(-1), { container: 'container_1499', startTime: 1499 });
  t.equal((await reader.read('2')).name, 'gone', 'no longer in the plan');
  t.strictSame(await reader.read('3'), { name: 'never', containers: [] });
  await t.rejects(reader.read('4'), NotFound);
  const path = join(directory, 'operators.jsonl');
  t.ok(readFileSync(path, 'utf8').split('\n').length < 1200);
  appendFileSync(path, '{"name":"source","id":"1","cont');
  t.equal((await reader.read('1')).containers.length, 100, 'a cut line is none');
});
