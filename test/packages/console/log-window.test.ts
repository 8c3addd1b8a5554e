import fc from 'fast-check';
import t from 'tap';
import { linesOf } from '../../../packages/console/src/features/logs/lines.js';
import {
  blockBytes,
  endOf,
  isAtEnd,
  type LogAction,
  type LogWindow,
  linesIn,
  noWindow,
  pollStart,
  reduce,
  shownLineBytes,
  startAround,
  startOf,
  tailStart,
} from '../../../packages/console/src/features/logs/window.js';

const encoder = new TextEncoder();

/** A log that is written while somebody looks, and what may be read of it. */
interface Written {
  bytes: Uint8Array;
}

type Step =
  | { readonly do: 'open' | 'up' | 'down' | 'poll' | 'look back' | 'follow' | 'rotate' }
  | { readonly do: 'go'; readonly share: number }
  | { readonly do: 'write'; readonly lines: readonly number[] };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Step>({ do: 'up' }, { do: 'down' }, { do: 'poll' }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Step>({ do: 'open' }, { do: 'look back' }, { do: 'follow' }, { do: 'rotate' }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('go' as const),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      // Short ones, long ones, and one now and then that no window holds.
      lines: fc.array(
        fc.oneof(
          { weight: 8, arbitrary: fc.nat(300) },
          { weight: 3, arbitrary: fc.nat(40_000) },
          { weight: 1, arbitrary: fc.nat(1_500_000) },
        ),
        { maxLength: 30 },
      ),
    }),
  },
);

const startsOf = new Map<number, Uint8Array>();
/** A line whose bytes say how long it is, so that no two of different lengths look the same. */
function lineOf(length: number): Uint8Array {
  const made = startsOf.get(length) ?? encoder.encode(`${length} ${'xü'.repeat(length / 3)}\n`);
  startsOf.set(length, made);
  return made;
}

function appended(before: Uint8Array, lines: readonly number[]): Uint8Array {
  const parts = lines.map(lineOf);
  const whole = new Uint8Array(before.length + parts.reduce((sum, { length }) => sum + length, 0));
  whole.set(before);
  let at = before.length;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** What the reader would tell. */
function actionOf(window: LogWindow, { bytes }: Written, doing: Step): LogAction | undefined {
  const start = startOf(window);
  const end = endOf(window);
  switch (doing.do) {
    case 'open': {
      const from = tailStart(bytes.length);
      return {
        type: 'shown',
        start: from,
        bytes: bytes.slice(from),
        length: bytes.length,
        isFollowing: true,
      };
    }
    case 'go': {
      const from = startAround(Math.floor(doing.share * Math.max(0, bytes.length - 1)));
      const part = bytes.slice(from, from + 3 * blockBytes);
      return { type: 'shown', start: from, bytes: part, length: bytes.length, isFollowing: false };
    }
    case 'up': {
      const part = bytes.slice(Math.max(0, start - blockBytes), start);
      return start === 0 || part.length < Math.min(start, blockBytes)
        ? undefined
        : { type: 'before', bytes: part };
    }
    case 'down':
      return isAtEnd(window)
        ? undefined
        : {
            type: 'after',
            bytes: bytes.slice(end, Math.min(window.length, end + blockBytes - (end % blockBytes))),
          };
    case 'poll': {
      const from = pollStart(window);
      const part = bytes.slice(from, from + 256 * 1024);
      return { type: 'polled', from, bytes: part, isAll: part.length < 256 * 1024 };
    }
    case 'look back':
      return { type: 'lookedBack' };
    case 'follow':
      return { type: 'followed' };
    default:
      return undefined;
  }
}

function checked(window: LogWindow, { bytes }: Written): void {
  const { blocks } = window;
  const held = blocks.filter((block) => block.bytes);
  if (held.length > 16) throw new Error(`${held.length} blocks are held`);
  blocks.forEach((block, index) => {
    const next = blocks[index + 1];
    if (next && next.start !== block.end) throw new Error('There is a gap');
    if (index > 0 && block.start % blockBytes !== 0) throw new Error('A block is not aligned');
    if (block.bytes && block.bytes.length !== block.end - block.start) throw new Error('A block is short');
    if (block.bytes && Buffer.compare(block.bytes, bytes.subarray(block.start, block.end)) !== 0)
      throw new Error('A block has other bytes than the log');
    if (!block.bytes && linesIn(bytes.subarray(block.start, block.end)) > 0)
      throw new Error('A line break was let go of');
  });
  if (blocks.length > 0 && !(blocks[0]?.bytes && blocks.at(-1)?.bytes)) throw new Error('It ends hollow');
  if (endOf(window) > window.length) throw new Error('More is held than there is');
  if (window.isFollowing && blocks.length > 0 && !isAtEnd(window))
    throw new Error('It follows without the end');
  linesAreThoseOf(window, bytes);
}

/** Each line that is shown stands in the log there, from one break to the next. */
function linesAreThoseOf(window: LogWindow, bytes: Uint8Array): void {
  const lines = linesOf(window.blocks);
  lines.forEach(({ start, end, text, isCut }, index) => {
    const whole = new TextDecoder().decode(bytes.subarray(start, end)).replace(/\n$/, '');
    if (isCut ? !whole.startsWith(text) : whole !== text) throw new Error(`Line at ${start} is another one`);
    if (isCut !== end - start > shownLineBytes + 2) throw new Error(`Line at ${start} is cut wrongly`);
    if (lines.length > 1 && start > 0 && bytes[start - 1] !== 10)
      throw new Error(`No line begins at ${start}`);
    const next = lines[index + 1];
    if (next && next.start !== end) throw new Error('Lines are left out');
  });
}

t.test('whatever is read, written and rotated, what is held is the log', async () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(5000), { maxLength: 40 }),
      fc.array(step, { maxLength: 40 }),
      (lines, steps) => {
        const written: Written = { bytes: appended(new Uint8Array(), lines) };
        let window = noWindow;
        let isRotated = false;
        for (const doing of [{ do: 'open' } as const, ...steps]) {
          if (doing.do === 'write') written.bytes = appended(written.bytes, doing.lines);
          if (doing.do === 'rotate') {
            // Nothing else is sure as long as nobody has asked what is new.
            written.bytes = appended(new Uint8Array(), [7]);
            isRotated = true;
          }
          if (isRotated && doing.do !== 'poll' && doing.do !== 'open') continue;
          const action = actionOf(window, written, doing);
          if (action) window = reduce(window, action);
          isRotated = false;
          if (doing.do === 'poll' && window.isFollowing && !isAtEnd(window))
            throw new Error('It lags behind');
          checked(window, written);
        }
      },
    ),
    { numRuns: 150 },
  );
});

const textOf = (window: LogWindow) => linesOf(window.blocks).map(({ text }) => text);
const opened = (text: string, isFollowing = true): LogWindow =>
  reduce(noWindow, { type: 'shown', start: 0, bytes: encoder.encode(text), isFollowing });
const polled = (window: LogWindow, whole: string): LogWindow => {
  const from = pollStart(window);
  return reduce(window, { type: 'polled', from, bytes: encoder.encode(whole).slice(from), isAll: true });
};

t.test('what is written is added where the end is followed', async (t) => {
  const window = polled(opened('one\ntwo'), 'one\ntwo and more\nthree\n');
  t.strictSame(textOf(window), ['one', 'two and more', 'three']);
  t.match(window, { unseen: 0, length: 23 });
});

t.test('who looks back is told how much there is', async (t) => {
  const before = reduce(opened('one\n'), { type: 'lookedBack' });
  const window = polled(polled(before, 'one\ntwo\n'), 'one\ntwo\nthree\n');
  t.match(window, { unseen: 2, isUnseenMore: false, isFollowing: false });
  t.match(reduce(window, { type: 'followed' }), { unseen: 0, isFollowing: true });
});

t.test('a log that begins anew is seen, also when it has grown beyond the old one', async (t) => {
  t.match(polled(opened('one\ntwo\n'), 'new\n'), { rotations: 1, length: 0, blocks: [] });
  const other = polled(opened('one\ntwo\n'), 'three\nfour\nfive\n');
  t.match(other, { rotations: 1, length: 0 });
  t.strictSame(textOf(polled(other, 'three\nfour\nfive\n')), ['three', 'four', 'five']);
  t.match(polled(opened('one\n'), 'one\n'), { rotations: 0 }, 'a quiet one is none');
  t.match(polled(opened(''), ''), { rotations: 0, length: 0 });
});

t.test('the middle of a line of 10 MB is not held, and the line is one', async (t) => {
  const bytes = new Uint8Array(10 * 1024 * 1024).fill(120);
  bytes[99] = 10;
  const end = encoder.encode('\nlast\n');
  let window = reduce(noWindow, {
    type: 'shown',
    start: 0,
    bytes: bytes.slice(0, blockBytes),
    length: bytes.length + end.length,
    isFollowing: false,
  });
  for (let at = blockBytes; at < bytes.length; at += 1024 * 1024)
    window = reduce(window, { type: 'after', bytes: bytes.slice(at, at + 1024 * 1024) });
  window = reduce(window, { type: 'after', bytes: end });
  t.equal(window.blocks.filter((block) => block.bytes).length, 2);
  const lines = linesOf(window.blocks);
  t.strictSame(
    lines.map(({ start, end, isCut, text }) => [start, end, isCut, text.length]),
    [
      [0, 100, false, 99],
      [100, bytes.length + 1, true, shownLineBytes],
      [bytes.length + 1, bytes.length + 6, false, 4],
    ],
  );
});

t.test('a log of line breaks does not become a page of a million lines', async (t) => {
  const bytes = new Uint8Array(1024 * 1024).fill(10);
  const window = reduce(noWindow, { type: 'shown', start: 0, bytes, isFollowing: true });
  t.ok(linesOf(window.blocks).length <= 200_000);
  t.equal(endOf(window), bytes.length);
});
