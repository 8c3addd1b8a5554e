import t from 'tap';
import { bodyOf, valuesIn } from '../../../packages/console/src/features/operators/changes.js';
import { countersOf, exactOperator } from '../../../packages/console/src/features/operators/exact.js';
import { portsOf } from '../../../packages/console/src/features/operators/port-rows.js';
import { windowsIn } from '../../../packages/console/src/features/operators/recordings/windows.js';
import { lagsOf, merged, shownRows, stateOf } from '../../../packages/console/src/features/operators/rows.js';
import { samplesOf } from '../../../packages/console/src/features/operators/samples.js';
import { readRecordingSearch } from '../../../packages/console/src/features/operators/search.js';
import { spreadOf } from '../../../packages/console/src/features/operators/spread.js';
import { ExactNumber } from '../../../packages/console/src/format/exact-json.js';
import { changesIn } from '../../../packages/console/src/forms/property-values.js';

const id = (seconds: number, counter: number): string => String((BigInt(seconds) << 32n) | BigInt(counter));

t.test('the spread over partitions', async (t) => {
  t.strictSame(spreadOf([10, 20, 60]), { min: 10, avg: 30, max: 60, skew: 2 });
  t.strictSame(spreadOf([5, 5]), { min: 5, avg: 5, max: 5, skew: 1 });
  t.strictSame(spreadOf([0, 0]), { min: 0, avg: 0, max: 0, skew: undefined }, 'nothing flows');
  t.strictSame(spreadOf([-1, 4]), { min: 4, avg: 4, max: 4, skew: 1 }, 'what is not known does not count');
  t.equal(spreadOf([]), undefined);
});

t.test('the windows of some ranges', async (t) => {
  const windows = windowsIn([
    { low: id(100, 5), high: id(100, 7) },
    { low: id(100, 9), high: id(100, 9) },
  ]);
  const all = Array.from({ length: windows.length }, (_, index) => windows.at(index));
  t.strictSame(all, [id(100, 5), id(100, 6), id(100, 7), id(100, 9)]);
  t.equal(windows.at(4), undefined);
  t.equal(windows.indexOf(id(100, 6)), 1);
  t.equal(windows.indexOf(id(100, 8)), 3, 'the next that there is');
  t.equal(windows.indexOf(id(200, 0)), 3, 'the last');
  const across = windowsIn([{ low: id(100, 0x3ffd), high: id(8291, 1) }]);
  t.strictSame(
    Array.from({ length: across.length }, (_, index) => across.at(index)),
    [id(100, 0x3ffd), id(100, 0x3ffe), id(8291, 0), id(8291, 1)],
    'the counter begins anew',
  );
  t.equal(windowsIn([]).length, 0);
});

t.test('the state that wants most attention', async (t) => {
  t.equal(stateOf({ ACTIVE: 3 }), 'ACTIVE');
  t.equal(stateOf({ ACTIVE: 3, PENDING_DEPLOY: 1 }), 'PENDING_DEPLOY');
  t.equal(stateOf({ ACTIVE: 0, INACTIVE: 2 }), 'INACTIVE');
  t.equal(stateOf({ ACTIVE: 1, STRANGE: 1 }), 'STRANGE');
  t.equal(stateOf({}), 'UNKNOWN');
});

const row = (name: string, currentWindowId = '0', className = 'shop.Join') => ({
  name,
  className,
  containerIds: [],
  partitions: [],
  unifiers: [],
  currentWindowId,
  failureCount: 0,
  latencyMA: 0,
  cpuPercentageMA: 0,
  status: {},
  tuplesEmittedPSMA: 0,
  tuplesProcessedPSMA: 0,
});

t.test('the list', async (t) => {
  const names = (rows: readonly { name: string }[]) => rows.map(({ name }) => name);
  t.strictSame(names(merged([row('a'), row('b')], [row('b'), row('c')])), ['b', 'c', 'a']);
  t.strictSame(names(shownRows([row('join'), row('sink', '0', 'shop.Sink')], 'JOIN')), ['join']);
  const lags = lagsOf([row('a', id(100, 9)), row('b', id(100, 7)), row('c')], 500);
  t.strictSame([...lags.values()], [0, 2, undefined]);
});

t.test('statistics of partitions become one line', async (t) => {
  const stats = (operatorId: string, timestamp: number, rate: number, latencyMA: number) => ({
    operatorId,
    timestamp,
    stats: { tuplesProcessedPSMA: rate, tuplesEmittedPSMA: rate * 2, latencyMA, cpuPercentageMA: 10 },
  });
  const kept = [stats('1', 10_000, 5, 3), stats('2', 10_400, 7, 9), stats('1', 20_000, 6, 4)];
  t.strictSame(samplesOf(kept, 60_000), [
    { at: 10_400, values: [12, 24, 9, 20] },
    { at: 20_000, values: [13, 26, 9, 20] },
  ]);
  t.strictSame(
    samplesOf(kept, 60_000, '1').map(({ values }) => values[0]),
    [5, 6],
    'of one partition',
  );
  t.strictSame(
    samplesOf([stats('1', 0, 5, 3), stats('2', 90_000, 7, 9)], 60_000).map(({ values }) => values[0]),
    [5, 7],
    'what was told too long ago does not count',
  );
  t.equal(samplesOf([stats('1', 0, 5, -1)], 1)[0]?.values[2], undefined, 'not known');
});

t.test('counters keep their digits', async (t) => {
  const bytes = { in: new ExactNumber('9007199254740993') };
  t.strictSame(countersOf({ counters: { bytes }, autoMetrics: { hits: 2, none: null }, metrics: null }), [
    ['bytes.in', '9007199254740993'],
    ['hits', '2'],
  ]);
  const text = '{"operators":[{"name":"source"},{"name":"join","counters":{"in":5}}]}';
  t.strictSame(exactOperator(text, 'name', 'join'), { name: 'join', counters: { in: 5 } });
  t.equal(exactOperator(text, 'name', 'sink'), undefined);
});

t.test('only what differs is sent, digit for digit', async (t) => {
  const values = { limit: 5, name: 'x', path: '/tmp' };
  const edits = { limit: new ExactNumber('9007199254740993'), name: 'x', path: undefined };
  t.strictSame(Object.keys(changesIn(values, edits)), ['limit', 'path']);
  const body = bodyOf(changesIn(values, edits));
  t.equal(body['path'], null);
  t.equal(String(body['limit']), '9007199254740993');
  t.strictSame(valuesIn('{"a":null,"b":0,"c":""}'), { b: 0, c: '' }, 'null is no value');
});

t.test('ports of the same name are summed up, inputs first', async (t) => {
  const port = (name: string, type: 'input' | 'output', totalTuples: number) => ({
    name,
    type,
    totalTuples,
    tuplesPSMA: 1,
    bufferServerBytesPSMA: 0,
  });
  const ports = portsOf([
    { ports: [port('out', 'output', 1), port('in', 'input', 2)] },
    { ports: [port('out', 'output', 10)] },
  ]);
  t.strictSame(
    ports.map(({ name, totalTuples, tuplesPSMA }) => [name, totalTuples, tuplesPSMA]),
    [
      ['in', 2, 1],
      ['out', 11, 2],
    ],
  );
});

t.test('what an address says of a recording', async (t) => {
  t.strictSame(readRecordingSearch({ window: id(100, 5), port: 1, live: true }), {
    window: id(100, 5),
    port: '1',
    live: true,
  });
  t.strictSame(readRecordingSearch({ window: 7301444403200000000, port: '', live: 'yes' }), {}, 'rounded');
});
