import { appendFile, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import type { TupleBatch, TupleQuery } from '../../../lib/driver-kit.js';
import { CpuShare, threadTimes } from '../../../packages/engine/container/cpu-share.js';
import { Recording } from '../../../packages/engine/container/recording.js';
import { openRecordingFiles } from '../../../packages/engine/container/recording-files.js';
import { OutputPort } from '../../../packages/engine/container/stream.js';
import { jsonOf } from '../../../packages/engine/container/tuple-text.js';
import type { RecordingLimits } from '../../../packages/engine/protocol/protocol.js';
import { createPartReader, type PartReader } from '../../../packages/history/part-files/reader.js';
import { localPartFiles } from '../../../packages/history/part-files/source.js';
import { readRecording } from '../../../packages/history/recordings/detail.js';
import {
  mergeRanges,
  parseLine,
  parseTotals,
  recordingFormat,
} from '../../../packages/history/recordings/format.js';
import { formatMeta, parseMeta } from '../../../packages/history/recordings/meta.js';
import { readTuples } from '../../../packages/history/recordings/tuples.js';
import { testFolder } from '../../helpers/folder.js';

const ports = [
  { id: '0', name: 'in', streamName: 'numbers', type: 'input' as const },
  { id: '1', name: 'out', streamName: '', type: 'output' as const },
];
const meta = {
  startTime: 1_700_000_000_000,
  appId: 'app',
  containerId: 'c1',
  properties: { secret: 'no' },
  ports,
};

const limits: RecordingLimits = {
  bytes: 1e9,
  millis: 1e9,
  tupleBytes: 1000,
  partBytes: 200,
  pendingBytes: 1e9,
  cpuPercent: 100,
  livePerSecond: 0,
};

/** A recording that is fed by hand: `emit` is what an operator would do. */
async function record(
  directory: string,
  options: { limits?: Partial<RecordingLimits>; windows?: number } = {},
) {
  const files = await openRecordingFiles({
    directory,
    meta: formatMeta(meta),
    onProblem(error) {
      throw error;
    },
  });
  const tapped = ports.map(({ id, name }) => ({ id, port: new OutputPort(name) }));
  let resolveOver: (why: string) => void = () => {};
  const over = new Promise<string>((resolve) => {
    resolveOver = resolve;
  });
  const recording = new Recording({
    ports: tapped,
    windowId: (window) => String(1000 + window),
    files,
    share: new CpuShare(
      () => 1,
      1e9,
      () => ({ worked: 1000, idle: 0 }),
    ),
    limits: { ...limits, ...options.limits },
    ...(options.windows === undefined ? {} : { windows: options.windows }),
    onTuple() {},
    onOver: resolveOver,
  });
  const emit = (portId: string, tuple: unknown) => tapped.find(({ id }) => id === portId)?.port.send(tuple);
  return { recording, over, files, emit };
}

const readerOf = (directory: string): PartReader =>
  createPartReader(localPartFiles(directory), recordingFormat);
const tuplesOf = (reader: PartReader, query: Partial<TupleQuery>) =>
  readTuples(reader, { from: { offset: 0 }, limit: 1000, emptyWindows: false, ...query }, { name: 'it' });
const of = { id: 'r', operatorId: '7', isActive: false };

type Windows = TupleBatch['tuples'];

/** The same answer, from everything at once. */
function expected(windows: Windows, { from, limit, ports, emptyWindows }: TupleQuery): TupleBatch {
  let seen = 0;
  let taken = 0;
  let startOffset = -1;
  const chosen: Windows = [];
  for (const { windowId, tuples } of windows) {
    const selected = tuples.filter(({ portId }) => !ports || ports.includes(portId));
    const isBegun = () =>
      'offset' in from ? seen >= from.offset : BigInt(windowId) >= BigInt(from.startWindow);
    const entry = { windowId, tuples: [] as Windows[number]['tuples'] };
    for (const tuple of selected) {
      if (isBegun() && taken < limit) {
        if (taken++ === 0) startOffset = seen;
        entry.tuples.push(tuple);
      }
      seen++;
    }
    const isEmpty = selected.length === 0 && emptyWindows && isBegun() && taken < limit;
    if (entry.tuples.length > 0 || isEmpty) chosen.push(entry);
    if (taken >= limit) break;
  }
  return { startOffset: String(startOffset), tuples: chosen };
}

t.test('every query answers what a look at everything would', async (t) => {
  const tuple = fc.record({ portId: fc.constantFrom('0', '1'), data: fc.jsonValue({ maxDepth: 1 }) });
  const windows = fc.array(fc.array(tuple, { maxLength: 6 }), { maxLength: 30 });
  const query = fc.record({
    from: fc.oneof(
      fc.record({ offset: fc.nat(60) }),
      fc.record({ startWindow: fc.integer({ min: 995, max: 1035 }).map(String) }),
    ),
    limit: fc.integer({ min: 1, max: 20 }),
    emptyWindows: fc.boolean(),
    ports: fc.constantFrom(undefined, ['0'], ['1'], ['1', '0']),
  });
  const folder = testFolder(t);
  let number = 0;
  await fc.assert(
    fc.asyncProperty(windows, fc.array(query, { minLength: 1, maxLength: 8 }), async (made, queries) => {
      const directory = join(folder, String(number++));
      const { recording, emit, files } = await record(directory);
      const all: Windows = [];
      for (const [window, tuples] of made.entries()) {
        recording.begin(window);
        for (const { portId, data } of tuples) emit(portId, data);
        recording.end();
        all.push({ windowId: String(1000 + window), tuples: JSON.parse(JSON.stringify(tuples)) });
      }
      recording.cut('the test is over');
      await files.end();
      const reader = readerOf(directory);
      for (const { ports, ...rest } of queries) {
        const one = { ...rest, ...(ports ? { ports } : {}) };
        const answer = JSON.parse(JSON.stringify(await tuplesOf(reader, one)));
        if (!isSame(answer, expected(all, one)))
          throw new Error(`${JSON.stringify(one)}: ${JSON.stringify(answer)} of ${JSON.stringify(all)}`);
      }
      const detail = await readRecording(reader, of);
      return detail?.totalTuples === made.flat().length && detail.ended;
    }),
    { numRuns: 60 },
  );
});

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

t.test('parts are closed between windows, with what the index tells', async (t) => {
  const directory = join(testFolder(t), 'r');
  const { recording, emit, files } = await record(directory, { windows: 20 });
  for (let window = 0; window < 25; window++) {
    if (window === 7) continue;
    recording.begin(window);
    emit('0', { window });
    emit('1', 'é'.repeat(window));
    recording.end();
  }
  await files.end();
  const index = await readFile(join(directory, 'index.txt'), 'utf8');
  t.ok(index.split('\n').length > 5);
  t.match(index, /^F:part0\.txt:\d+-\d+:\d+:T:1000-10\d\d:17:\{"0":"\d","1":"\d"\}\n/);
  t.match(index, /\nE\n$/);
  const lines = (await readFile(join(directory, 'part0.txt'), 'utf8')).split('\n');
  t.match(lines[0], /^B:\d{13}:1000$/);
  t.match(lines[1], /^T:\d{13}:0:12:\{"window":0\}$/, 'with the bytes of the JSON');
  t.match(lines[2], /^T:\d{13}:1:2:""$/);
  t.match(lines[3], /^E:\d{13}:1000$/);
  const detail = await readRecording(readerOf(directory), of);
  t.match(detail, { totalTuples: 40, ended: true, containerId: 'c1', startTime: meta.startTime });
  t.strictSame(
    detail?.ports.map(({ tupleCount }) => tupleCount),
    [20, 20],
  );
  t.strictSame(detail?.windowIdRanges, [
    { low: '1000', high: '1006' },
    { low: '1008', high: '1020' },
  ]);
});

t.test('what a crash leaves behind is read', async (t) => {
  const directory = join(testFolder(t), 'r');
  const { recording, emit, files } = await record(directory, { limits: { partBytes: 1e6 } });
  t.match(await readRecording(readerOf(directory), { ...of, isActive: true }), {
    totalTuples: 0,
    ended: false,
  });
  recording.begin(0);
  for (let i = 0; i < 10; i++) emit('0', i);
  recording.end();
  recording.begin(1);
  emit('0', 'never written');
  await files.end();
  const part = join(directory, 'part0.txt');
  await appendFile(part, 'B:1700000000000:1001\nT:1700000000001:0:2:10\nT:1700000000001:0:5:"hal');
  const detail = await readRecording(readerOf(directory), of);
  t.match(detail, { totalTuples: 11, ended: true, windowIdRanges: [{ low: '1000', high: '1001' }] });
  const { tuples } = await tuplesOf(readerOf(directory), {});
  t.strictSame(
    tuples.flatMap((window) => window.tuples.map(({ data }) => data)),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  );
  await truncate(join(directory, 'meta.txt'), 10);
  await t.rejects(readRecording(readerOf(directory), of), { code: 'DAMAGED', message: /recording r/ });
  await appendFile(part, 'lf"}x\n');
  await t.rejects(tuplesOf(readerOf(directory), {}), { code: 'DAMAGED' });
  t.equal(await readRecording(readerOf(join(directory, 'none')), of), undefined);
});

t.test('what is too large is counted, not kept', async (t) => {
  const directory = join(testFolder(t), 'r');
  const { recording, emit, files, over } = await record(directory, {
    limits: { bytes: 600, pendingBytes: 1e6 },
  });
  recording.begin(0);
  emit('0', 'x'.repeat(2000));
  emit('0', 'small');
  recording.end();
  recording.begin(1);
  for (let i = 0; i < 100; i++) emit('1', i);
  recording.end();
  await over;
  recording.begin(2);
  emit('0', 'too late');
  recording.end();
  await files.end();
  const reader = readerOf(directory);
  const detail = await readRecording(reader, of);
  t.equal((detail?.totalTuples ?? 0) + (detail?.skippedTuples ?? 0), 102);
  t.equal(detail?.ports[0]?.tupleCount, 1);
  const { tuples } = await tuplesOf(reader, { emptyWindows: true });
  t.match(tuples[0], { skippedTuples: 1, tuples: [{ data: 'small' }] });
  t.equal((tuples[1]?.tuples.length ?? 0) + (tuples[1]?.skippedTuples ?? 0), 100);
  t.equal(tuples.length, 2);
  const other = await tuplesOf(reader, { ports: ['0'] });
  t.strictSame(other.tuples.length, 1);
});

t.test('a recording tells why it is over', async (t) => {
  const folder = testFolder(t);
  const nothing = () => {};
  type Made = Awaited<ReturnType<typeof record>>;
  const table: [why: RegExp, options: Parameters<typeof record>[1], end: (made: Made) => void][] = [
    [/^it has its 1 windows$/, { windows: 1 }, nothing],
    [/^it has reached 10 bytes/, { limits: { bytes: 10 } }, nothing],
    [/^it has lasted 0 ms/, { limits: { millis: 0 } }, nothing],
    [/^it was stopped$/, {}, ({ recording }) => recording.stop()],
    [/^the operator has ended$/, {}, ({ recording }) => recording.finish()],
    [/^the test is over$/, {}, ({ recording }) => recording.cut('the test is over')],
  ];
  for (const [index, [why, options, end]] of table.entries()) {
    const made = await record(join(folder, String(index)), options);
    made.recording.begin(0);
    made.emit('0', 'something');
    made.recording.end();
    end(made);
    t.match(await made.over, why);
    await made.files.end();
  }
});

t.test('a disk that is slower than the stream', async (t) => {
  const directory = join(testFolder(t), 'r');
  const { recording, emit, files } = await record(directory, { limits: { pendingBytes: 100_000 } });
  // One turn of the event loop: nothing is written meanwhile.
  for (let window = 0; window < 20; window++) {
    recording.begin(window);
    for (let i = 0; i < 50; i++) emit('0', 'x'.repeat(500));
    recording.end();
    t.ok(files.pendingBytes < 100_000 + 70_000, 'what waits is bounded');
  }
  recording.cut('the test is over');
  await files.end();
  const detail = await readRecording(readerOf(directory), of);
  t.ok(detail?.totalTuples && detail.skippedTuples);
  t.equal((detail?.totalTuples ?? 0) + (detail?.skippedTuples ?? 0), 1000);
});

t.test('tuples as text', async (t) => {
  const circle: Record<string, unknown> = { name: 'circle' };
  circle['self'] = circle;
  const rows: [unknown, unknown][] = [
    [{ a: [1, null, 'x\ny'] }, { a: [1, null, 'x\ny'] }],
    [undefined, 'undefined'],
    [10n, '10'],
    [{ big: 12345678901234567890n }, { big: '12345678901234567890' }],
    [Number.NaN, null],
    [() => 1, '[Function (anonymous)]'],
    [
      {
        toJSON() {
          throw new Error('no');
        },
      },
      '{ toJSON: [Function: toJSON] }',
    ],
  ];
  for (const [tuple, json] of rows) {
    t.strictSame(JSON.parse(jsonOf(tuple)), json);
    t.notMatch(jsonOf(tuple), '\n');
  }
  t.match(JSON.parse(jsonOf(circle)), /Circular/);
});

t.test('lines and totals', async (t) => {
  t.strictSame(parseLine('T:1:0:5:"a:b"'), { kind: 'tuple', portId: '0', json: '"a:b"' });
  t.strictSame(parseLine('S:1:2:30'), { kind: 'skipped', portId: '2', tuples: 30 });
  for (const line of ['', 'T', 'T:1', 'T:1:0', 'C:1:0:2:{}', 'B:1:x', 'S:1:0:many', 'B:x:1', 'Z:1:1'])
    t.equal(parseLine(line), undefined, line);
  const range = (low: bigint, high: bigint) => ({ low, high });
  t.strictSame(mergeRanges([range(1n, 3n), range(4n, 4n), range(6n, 9n), range(7n, 8n)]), [
    range(1n, 4n),
    range(6n, 9n),
  ]);
  t.strictSame(parseTotals('5-7,9-9:21:{"0":"120","1":"7"}'), {
    windows: [range(5n, 7n), range(9n, 9n)],
    tuples: new Map([
      ['0', 120],
      ['1', 7],
    ]),
    skipped: 0,
  });
  t.strictSame(parseTotals('nonsense'), { windows: [], tuples: new Map(), skipped: 0 });
  t.strictSame(parseMeta(formatMeta(meta)), meta);
  const engines = [
    '1.2',
    '{"startTime":"1700000000000","appId":"a","properties":{}}',
    '{"name":"in","streamName":"s","type":"input","id":"0"}',
  ];
  t.match(parseMeta(engines), { startTime: 1_700_000_000_000, containerId: '' }, "the engine's own");
});

t.test('a share of the thread', async (t) => {
  const times = { worked: 3000, idle: 0 };
  const share = new CpuShare(
    () => 0.1,
    1000,
    () => ({ ...times }),
  );
  /** Tuples of 0.05 ms, each of which counts one and a half times. */
  const affordable = (millis = 0.05) => {
    for (let tuples = 1; ; tuples++) if (!share.spend(1, millis, 100)) return tuples * 0.075;
  };
  const about = (found: number, wanted: number, message: string) =>
    t.ok(Math.abs(found - wanted) < 1, `${message}: ${found} ms`);
  t.ok(share.refill());
  about(affordable(), 100, 'a tenth of the first window');
  t.notOk(share.refill(), 'nothing is left, no time has passed');
  times.worked += 500;
  t.ok(share.refill());
  about(affordable(), 50, 'a tenth of what the thread worked');
  times.idle += 400;
  t.ok(share.refill());
  about(affordable(), 100, 'a quarter of what it waited');
  times.worked += 100_000;
  t.ok(share.refill());
  about(affordable(), 250, 'not more than for one window');
  times.worked += 500;
  t.ok(share.refill());
  about(affordable(50), 25, "the machine's pauses do not count");
  const { worked, idle } = threadTimes();
  t.ok(worked > 0 && idle >= 0);
});
