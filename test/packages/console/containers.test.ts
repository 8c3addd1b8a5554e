import t from 'tap';
import { isTarget, patternFor } from '../../../packages/console/src/features/containers/logger-names.js';
import {
  gcShare,
  merged,
  type Row,
  usedMemory,
} from '../../../packages/console/src/features/containers/rows.js';
import {
  continuedLooks,
  gcSamples,
  looksAt,
  memorySamples,
} from '../../../packages/console/src/features/containers/samples.js';
import { folded } from '../../../packages/console/src/features/containers/stacks.js';

const row = (id: string, change: Partial<Row> = {}): Row => ({
  id,
  host: 'h',
  state: 'ACTIVE',
  jvmName: '1@h',
  containerType: 'STREAMING',
  lastHeartbeat: 1000,
  startedTime: 1000,
  finishedTime: -1,
  memoryMBAllocated: 128,
  memoryMBFree: 100,
  gcCollectionTime: 10,
  gcCollectionCount: 1,
  operators: {},
  ...change,
});
const ended = (id: string, finishedTime = 2000) => row(id, { state: 'KILLED', finishedTime });

t.test('what runs comes first, what ended last comes next', async (t) => {
  const { rows, missing } = merged([row('c10'), ended('c1', 10), row('c2'), ended('c3', 20)], undefined);
  t.strictSame(
    rows.map(({ id }) => id),
    ['c2', 'c10', 'c3', 'c1'],
  );
  t.strictSame(missing, []);
});

t.test('the topic carries the list on', async (t) => {
  const live = [row('c2', { memoryMBFree: 5 }), row('c4')];
  const { rows, missing } = merged([row('c1'), row('c2'), ended('c3')], live);
  t.strictSame(
    rows.map(({ id, memoryMBFree }) => [id, memoryMBFree]),
    [
      ['c1', 100],
      ['c2', 5],
      ['c4', 100],
      ['c3', 100],
    ],
  );
  t.strictSame(missing, ['c1']);
  t.equal(merged([ended('c1')], [row('c1')]).rows[0]?.state, 'KILLED', 'an older frame wakes nobody');
  t.equal(merged([row('c1')], [ended('c1')]).rows[0]?.state, 'KILLED');
});

t.test('figures of a container', async (t) => {
  t.equal(usedMemory(row('c')), 28);
  t.equal(usedMemory(row('c', { memoryMBAllocated: -1 })), undefined);
  t.equal(gcShare(row('c'), 2000), 0.01);
  t.equal(gcShare(ended('c', 3000), 9e9), 0.005);
  t.equal(gcShare(row('c', { startedTime: -1 }), 2000), undefined);
});

t.test('history and what is live are one line', async (t) => {
  const kept = (containerId: string, timestamp: number, gcCollectionTime: number) => ({
    containerId,
    timestamp,
    stats: { memoryMBFree: 100, gcCollectionTime },
  });
  const history = looksAt([kept('a', 1000, 0), kept('b', 1500, 7), kept('a', 2000, 100)], 'a');
  const looks = continuedLooks(
    history,
    [
      { at: 1900, freeMB: 1, gcMillis: 1 },
      { at: 2500, freeMB: 90, gcMillis: 150 },
      { at: 3000, freeMB: undefined, gcMillis: 20 },
    ],
    100,
  );
  t.strictSame(memorySamples(looks, 128), [
    { at: 1000, values: [28, 128] },
    { at: 2000, values: [28, 128] },
    { at: 2500, values: [38, 128] },
    { at: 3000, values: [undefined, 128] },
  ]);
  t.strictSame(gcSamples(looks), [
    { at: 2000, values: [0.1] },
    { at: 2500, values: [0.1] },
    { at: 3000, values: [undefined] },
  ]);
  t.equal(continuedLooks(history, [], 1).length, 1);
});

t.test('threads that stand at one place are one line, blocked ones first', async (t) => {
  const thread = (name: string, state: string, ...stackTraceElements: string[]) => ({
    name,
    state,
    stackTraceElements,
  });
  t.strictSame(
    folded([
      thread('a', 'WAITING', 'x', 'y'),
      thread('b', 'RUNNABLE', 'x', 'y'),
      thread('c', 'WAITING', 'x', 'y'),
      thread('d', 'BLOCKED', 'z'),
      thread('e', 'odd'),
    ]).map(({ state, names }) => [state, ...names]),
    [
      ['BLOCKED', 'd'],
      ['RUNNABLE', 'b'],
      ['WAITING', 'a', 'c'],
      ['odd', 'e'],
    ],
  );
});

t.test('names of loggers', async (t) => {
  for (const text of ['a', 'a.b.C', 'a.b.*']) t.ok(isTarget(text), text);
  for (const text of ['', '*', 'a.*.b', 'a b', '.a']) t.notOk(isTarget(text), text);
  t.equal(patternFor('a.b'), '.*a\\.b.*');
  t.equal(patternFor('a.*'), '.*a.*');
});
