import fc from 'fast-check';
import t from 'tap';
import { levelIn } from '../../../packages/console/src/features/logs/levels.js';
import { lineAt, linesOf } from '../../../packages/console/src/features/logs/lines.js';
import { createLogReader, type LogAccess } from '../../../packages/console/src/features/logs/reader.js';
import { seekTime } from '../../../packages/console/src/features/logs/seek-time.js';
import { readStamp, stampIn } from '../../../packages/console/src/features/logs/stamps.js';
import { readViewSearch } from '../../../packages/console/src/features/logs/view-search.js';
import { endOf, startOf } from '../../../packages/console/src/features/logs/window.js';
import { commonRun } from '../../../packages/console/src/forms/long-text-change.js';

const encoder = new TextEncoder();
const textsIn = (text: string) => linesOf([{ start: 0, end: text.length, bytes: encoder.encode(text) }]);

t.test('levels are found where logs write them, and carried on to lines that say none', async (t) => {
  const cases: [string, string | undefined][] = [
    ['2026-11-26 17:46:22,284 [main] INFO  headgate.engine.Master - up', 'INFO'],
    ['[2026-11-26T17:46:35.271+0000][13.931s][info][gc] GC(8) Pause Young', 'INFO'],
    ['{"level":"error","msg":"no"}', 'ERROR'],
    ['time=12:00 level=warning msg=late', 'WARN'],
    ['SEVERE: it broke', 'ERROR'],
    ['see com.example.ERROR_CODES for more', undefined],
    ['an error of somebody', undefined],
    [`${' '.repeat(200)}ERROR`, undefined],
  ];
  for (const [text, level] of cases) t.equal(levelIn(text), level, text);
  t.strictSame(
    textsIn('first\n12:00 ERROR no\n  at there\n12:01 INFO yes').map(({ level }) => level),
    [undefined, 'ERROR', 'ERROR', 'INFO'],
  );
});

t.test('lines are as a page can show them', async (t) => {
  t.strictSame(
    textsIn('a\r\n\u001b[31mred\u001b[0m\n\nü').map(({ text }) => text),
    ['a', 'red', '', 'ü'],
  );
  const lines = textsIn('one\ntwo\nthree\n');
  for (const [offset, index] of [
    [0, 0],
    [3, 0],
    [4, 1],
    [7, 1],
    [8, 2],
    [99, 2],
  ] as const)
    t.equal(lineAt(lines, offset), index);
});

t.test('stamps are read as logs and people write them', async (t) => {
  const moment = Date.UTC(2026, 10, 26, 17, 46, 22);
  for (const text of [
    '2026-11-26 17:46:22,000 INFO',
    '[2026-11-26T17:46:22.000+0100] x',
    '26/11/26 17:46:22 INFO x',
  ])
    t.equal(stampIn(text), moment, text);
  t.equal(stampIn('17:46:22 INFO'), undefined);
  const near = moment + 5000;
  const cases: [string, number | undefined][] = [
    ['2026-11-26 17:46:22', moment],
    ['2026-11-26T17:46:22.5', moment + 500],
    ['17:46:22', moment],
    ['17:46', moment - 22_000],
    ['2026-11-26', Date.UTC(2026, 10, 26)],
    ['', undefined],
    ['25:00', undefined],
    ['yesterday', undefined],
  ];
  for (const [text, stamp] of cases) t.equal(readStamp(text, near), stamp, text);
  t.equal(readStamp('17:46', undefined), undefined, 'nobody knows which day');
});

t.test('a time is found by few reads, whatever stands between the stamps', async (t) => {
  const line = fc.record({
    wait: fc.nat(5000),
    text: fc.oneof({ weight: 10, arbitrary: fc.nat(200) }, { weight: 2, arbitrary: fc.nat(20_000) }),
    isStamped: fc.oneof(
      { weight: 3, arbitrary: fc.constant(true) },
      { weight: 2, arbitrary: fc.constant(false) },
    ),
  });
  const began = Date.UTC(2026, 0, 1);
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 200 }), fc.nat(400_000), async (lines, after) => {
      let now = began;
      let text = '';
      const wanted = began + after;
      let expected: number | undefined;
      let isStamped = false;
      for (const one of lines) {
        now += one.wait;
        if (one.isStamped && now >= wanted) expected ??= text.length;
        isStamped ||= one.isStamped;
        const stamp = one.isStamped ? `${new Date(now).toISOString()} ` : '';
        text += `${stamp}${'x'.repeat(one.text)}\n`;
      }
      const bytes = encoder.encode(text);
      const found = await seekTime(async (start, end) => bytes.slice(start, end), bytes.length, wanted);
      const right = isStamped ? (expected ?? bytes.length) : undefined;
      if (found !== right) throw new Error(`${found} instead of ${right}`);
    }),
    { numRuns: 200 },
  );
  const many = Array.from(
    { length: 300_000 },
    (_, n) => `${new Date(began + n * 10).toISOString()} line ${n}\n`,
  );
  const bytes = encoder.encode(many.join(''));
  let reads = 0;
  const found = await seekTime(
    async (start, end) => {
      reads++;
      return bytes.slice(start, end);
    },
    bytes.length,
    began + 1_234_560,
  );
  t.equal(
    new TextDecoder().decode(bytes.slice(found, (found ?? 0) + 35)),
    `${new Date(began + 1_234_560).toISOString()} line 12345`,
  );
  t.ok(reads <= 18, `${reads} reads of ${bytes.length} bytes`);
});

t.test('a link says where somebody looks; what does not fit is left out', async (t) => {
  t.strictSame(readViewSearch({ at: 'byte:12', q: 'x', level: 'WARN' }), {
    at: 'byte:12',
    q: 'x',
    level: 'WARN',
  });
  t.strictSame(readViewSearch({ at: '12', q: '', level: 'loud' }), {});
  t.strictSame(readViewSearch({ q: 404 }), { q: '404' });
});

t.test('what stays between two parts of a text', async (t) => {
  const line = (start: number, text = 'x'.repeat(9)) => ({ start, end: start + 10, text });
  const part = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => line((from + index) * 10));
  t.strictSame(commonRun(part(0, 5), part(0, 5)), { before: 0, after: 0, count: 5 });
  t.strictSame(commonRun(part(2, 5), part(0, 4)), { before: 0, after: 2, count: 2 });
  t.strictSame(commonRun(part(0, 4), part(3, 9)), { before: 3, after: 0, count: 1 });
  t.strictSame(commonRun([line(0, 'half'), line(10)], [line(0), line(10)]), {
    before: 1,
    after: 1,
    count: 1,
  });
  t.equal(commonRun(part(0, 3), part(5, 8)).count, 0);
  t.equal(commonRun([], part(0, 2)).count, 0);
});

/** A log in memory, with what was asked of it. */
function logOf(text: string): LogAccess & { bytes: Uint8Array; readonly asked: string[] } {
  const log = {
    bytes: encoder.encode(text),
    asked: [] as string[],
    length: async () => log.bytes.length,
    read: async (start: number, end: number) => {
      log.asked.push(`${start}-${end}`);
      return log.bytes.slice(start, end);
    },
  };
  return log;
}

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}\n`).join('');

t.test('a long log opens with its end, in one read', async (t) => {
  const log = logOf(numbered(200_000));
  const reader = createLogReader(log);
  await reader.show('end');
  t.equal(log.asked.length, 1);
  t.ok(endOf(reader.window.get()) - startOf(reader.window.get()) < 2 * 64 * 1024);
  t.equal(linesOf(reader.window.get().blocks).at(-1)?.text, 'line 199999');
  await reader.more('up');
  t.equal(startOf(reader.window.get()) % (64 * 1024), 0);
  t.equal(await reader.poll(), false);
  log.bytes = encoder.encode(`${numbered(200_000)}new\n`);
  t.equal(await reader.poll(), true);
  t.equal(linesOf(reader.window.get().blocks).at(-1)?.text, 'new');
  log.bytes = encoder.encode('again\n');
  t.equal(await reader.poll(), true);
  await reader.poll();
  t.match(reader.window.get(), { rotations: 1, length: 6 });
});

t.test('more was written than is read as it comes: the end is', async (t) => {
  const log = logOf('one\n');
  const reader = createLogReader(log);
  await reader.show('end');
  log.bytes = encoder.encode(`one\n${numbered(200_000)}`);
  await reader.poll();
  t.equal(endOf(reader.window.get()), log.bytes.length);
  t.equal(linesOf(reader.window.get().blocks).at(-1)?.text, 'line 199999');
});

t.test('who goes somewhere gives up what was asked for; what fails is told, and tried again', async (t) => {
  const log = logOf(numbered(200_000));
  const reader = createLogReader(log);
  const first = reader.show('end');
  await reader.show(500_000);
  await first;
  const window = reader.window.get();
  t.equal(window.isFollowing, false);
  t.ok(startOf(window) <= 500_000 && endOf(window) > 500_000);
  const failing = createLogReader({
    ...log,
    read: async () => {
      throw new Error('away');
    },
  });
  await failing.show('end');
  t.match(failing.failure.get(), { message: 'away' });
});

t.test('through a line of megabytes it goes in long steps, to where it ends', async (t) => {
  const log = logOf(`begin\n${'x'.repeat(5 * 1024 * 1024)}\nend\n`);
  const reader = createLogReader(log);
  await reader.show(0);
  for (let n = 0; n < 10 && endOf(reader.window.get()) < log.bytes.length; n++) await reader.more('down');
  t.strictSame(
    linesOf(reader.window.get().blocks).map(({ text }) => text.slice(0, 5)),
    ['begin', 'xxxxx', 'end'],
  );
  t.ok(log.asked.length < 9, `${log.asked.length} reads`);
});
