import { Readable } from 'node:stream';
import * as fc from 'fast-check';
import t from 'tap';
import type { OpenLog } from '../../../../lib/driver-kit.js';
import { mergeCollections } from '../../../../lib/features/containers/gc-merge.js';
import { createLineSplitter, maxLineBytes } from '../../../../lib/features/containers/line-splitter.js';
import { linesBackwards, linesForwards } from '../../../../lib/features/containers/log-lines.js';
import { spanOf } from '../../../../lib/features/containers/log-range.js';
import { createSliceScheduler } from '../../../../lib/runtime/slice-scheduler.js';

const logOf = (content: string | Buffer, chunkBytes = 7): OpenLog => {
  const bytes = Buffer.from(content);
  return {
    length: bytes.length,
    read(start, end) {
      const chunks: Buffer[] = [];
      for (let at = start; at < end; at += chunkBytes)
        chunks.push(bytes.subarray(at, Math.min(end, at + chunkBytes)));
      return Readable.from(chunks);
    },
    close: async () => {},
  };
};

const gather = (lines: typeof linesForwards | typeof linesBackwards, log: OpenLog) =>
  createSliceScheduler().run(new AbortController().signal, async (turn) => {
    const found = [];
    for await (const some of lines(log, { start: 0, end: log.length }, turn)) found.push(...some);
    return found;
  });

t.test('lines and their offsets, whatever the chunks', async (t) => {
  const log = logOf('one\r\n\nzwölf 🎉\nlast', 3);
  const lines = await gather(linesForwards, log);
  t.strictSame(
    lines.map(({ offset, text }) => [offset, text]),
    [
      [0, 'one'],
      [5, ''],
      [6, 'zwölf 🎉'],
      [18, 'last'],
    ],
  );
  t.equal(lines.at(-1)?.end, log.length);
});

t.test('a long line comes in pieces that hold whole characters, and loses nothing', async (t) => {
  const splitter = createLineSplitter(100, 8);
  const text = 'aäöüß€🎉🎉xyz';
  const pieces = [...splitter.push(Buffer.from(`${text}\nnext`)), ...splitter.end()];
  t.equal(
    pieces
      .slice(0, -1)
      .map((piece) => piece.text)
      .join(''),
    text,
  );
  t.equal(pieces[0]?.offset, 100);
  t.ok(pieces.every((piece, i) => piece.end === (pieces[i + 1]?.offset ?? piece.end)));
  t.ok(pieces.every((piece) => Buffer.byteLength(piece.text) <= 8 && !piece.text.includes('\ufffd')));
  t.equal(pieces.at(-1)?.text, 'next');
  const noise = createLineSplitter(0, 8);
  t.equal(
    [...noise.push(Buffer.alloc(100, 0x80)), ...noise.end()].at(-1)?.end,
    100,
    'bytes that are no characters',
  );
});

t.test('backwards is forwards from the end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.string({ maxLength: 40 }), fc.constant('y'.repeat(30_000))), { maxLength: 12 }),
      fc.constantFrom('', '\n'),
      async (lines, last) => {
        const log = logOf(lines.map((line) => line.replaceAll('\n', ' ')).join('\n') + last, 4096);
        t.strictSame((await gather(linesBackwards, log)).reverse(), await gather(linesForwards, log));
      },
    ),
    { numRuns: 60 },
  );
});

t.test('backwards leaves out what is longer than a line may be', async (t) => {
  const long = 'x'.repeat(5 * maxLineBytes);
  const log = logOf(`first\n${long}\nlast\n`, 4096);
  t.strictSame(
    (await gather(linesBackwards, log))
      .map(({ offset, text }) => [offset, text.slice(0, 10)])
      .filter(([, text]) => text !== 'xxxxxxxxxx'),
    [
      [long.length + 7, 'last'],
      [0, 'first'],
    ],
  );
});

t.test('which part is meant', async (t) => {
  const log = logOf('one\ntwo\nthree\n');
  const table: [query: Parameters<typeof spanOf>[1], start: number, end: number][] = [
    [{}, 0, 14],
    [{ start: 4 }, 4, 14],
    [{ start: 4, end: 8 }, 4, 8],
    [{ start: 20, end: 30 }, 14, 14],
    [{ end: 99 }, 0, 14],
    [{ lastBytes: 0 }, 14, 14],
    [{ lastBytes: 6 }, 8, 14],
    [{ lastBytes: 7 }, 8, 14],
    [{ lastBytes: 10 }, 4, 14],
    [{ lastBytes: 14 }, 0, 14],
    [{ lastBytes: 1000 }, 0, 14],
    // No line begins in it.
    [{ lastBytes: 3 }, 11, 14],
  ];
  for (const [query, start, end] of table)
    t.strictSame(await spanOf(log, query), { start, end }, JSON.stringify(query));
  const endless = logOf('z'.repeat(3 * maxLineBytes), 4096);
  t.strictSame(await spanOf(endless, { lastBytes: 100_000 }), {
    start: endless.length - 100_000,
    end: endless.length,
  });
  t.strictSame(await spanOf(logOf(''), { lastBytes: 5 }), { start: 0, end: 0 });
});

t.test('collections of many logs are put in order with a little of each at hand', async (t) => {
  const logs = 50;
  const lineBytes = 100;
  const length = 10_000_000;
  const lines = length / lineBytes;
  let asked = 0;
  /** Of a log that is nowhere: line 7 of log 3 tells of the time 7 * 50 + 3. */
  const logOf = (number: number): OpenLog => ({
    length,
    read(start, end) {
      let at = start;
      return new Readable({
        highWaterMark: 16 * 1024,
        read() {
          const size = Math.min(16 * 1024, end - at);
          if (size <= 0) return void this.push(null);
          const first = Math.floor(at / lineBytes);
          const text = Array.from({ length: size / lineBytes + 2 }, (_, index) =>
            `${(first + index) * logs + number}`.padEnd(lineBytes - 1).concat('\n'),
          ).join('');
          const offset = at - first * lineBytes;
          this.push(Buffer.from(text.slice(offset, offset + size)));
          asked += size;
          at += size;
        },
      });
    },
    close: async () => {},
  });
  const none = {
    occupiedHeapMemoryBefore: 0,
    occupiedHeapMemoryAfter: 0,
    heapCapacity: 0,
    heapReductionPercentage: 0,
  };
  const collectionOf = (line: string) => ({
    type: 'GC' as const,
    startTime: Number(line),
    duration: 0,
    ...none,
  });
  const sources = Array.from({ length: logs }, (_, number) => ({
    container: `container_${number}`,
    log: logOf(number),
    span: { start: 0, end: length },
  }));
  for (const descending of [false, true]) {
    asked = 0;
    const times: number[] = [];
    await createSliceScheduler().run(new AbortController().signal, async (slice) => {
      for await (const { startTime } of mergeCollections(sources, {
        collectionOf,
        pattern: undefined,
        descending,
        slice,
      }))
        if (times.push(startTime) === 10_000) break;
    });
    const last = lines * logs - 1;
    t.strictSame(
      times,
      times.map((_, index) => (descending ? last - index : index)),
    );
    // 1 MB is told of; of each log the block that comes next, and one that is being read.
    t.ok(asked < 10_000 * lineBytes + logs * 2 * 64 * 1024, `${asked} of ${logs * length} bytes were read`);
  }
});
