import { stampIn } from './stamps.js';
import { joined } from './window.js';

type ReadBytes = (start: number, end: number) => Promise<Uint8Array>;

interface Stamped {
  /** Of the line, in bytes. */
  readonly offset: number;
  readonly stamp: number;
}

const step = 4 * 1024;
const largestStep = 1024 * 1024;
/** Of a line, as much as may hold its stamp. */
const headBytes = 160;
const newline = 10;
const decoder = new TextDecoder();

/**
 * Where the first line stands that was written at `wanted` or later, by halving: some 18 reads of 4 KiB for 1 GB. Lines without a stamp
 * are skipped. The length when all were written before; `undefined` when no line has a stamp.
 */
export async function seekTime(read: ReadBytes, length: number, wanted: number): Promise<number | undefined> {
  let [low, high] = [0, length];
  let isStamped = false;
  let best = length;
  // No line that begins before `low` is late enough; the first stamped one from `high` on, `best`, is.
  while (high - low > step) {
    const middle = low + Math.floor((high - low) / 2);
    const found = await firstOf(stampedLines(read, middle, high, length));
    isStamped ||= found !== undefined;
    if (found && found.stamp < wanted) low = found.offset + 1;
    else {
      high = middle;
      best = found?.offset ?? best;
    }
  }
  for await (const { offset, stamp } of stampedLines(read, low, high, length)) {
    if (stamp >= wanted) return offset;
    isStamped = true;
  }
  return isStamped || best < length ? best : undefined;
}

async function firstOf(lines: AsyncGenerator<Stamped>): Promise<Stamped | undefined> {
  for await (const line of lines) return line;
  return undefined;
}

/** Stamped lines that begin from `from` on and before `to`. Reads more at a time the longer nothing is found. */
async function* stampedLines(
  read: ReadBytes,
  from: number,
  to: number,
  length: number,
): AsyncGenerator<Stamped> {
  let line: { start: number; head: Uint8Array } | undefined =
    from === 0 ? { start: 0, head: new Uint8Array() } : undefined;
  let size = step;
  // From the byte before: a line break there means that a line begins at `from`.
  for (let at = Math.max(0, from - 1); at < length; size = Math.min(2 * size, largestStep)) {
    const bytes = await read(at, Math.min(length, at + size));
    if (bytes.length === 0) break;
    for (let begin = 0; begin < bytes.length; ) {
      const found = bytes.indexOf(newline, begin);
      const end = found < 0 ? bytes.length : found;
      if (line && line.head.length < headBytes)
        line.head = joined([line.head, bytes.subarray(begin, Math.min(end, begin + headBytes))]);
      begin = end + 1;
      const isKnown = found >= 0 || (line?.head.length ?? 0) >= headBytes;
      if (line && isKnown) {
        yield* stampOf(line);
        line = undefined;
      }
      if (found < 0) break;
      line = { start: at + begin, head: new Uint8Array() };
      if (line.start >= to) return;
    }
    at += bytes.length;
  }
  if (line) yield* stampOf(line);
}

function* stampOf({
  start,
  head,
}: {
  readonly start: number;
  readonly head: Uint8Array;
}): Generator<Stamped> {
  const stamp = stampIn(decoder.decode(head));
  if (stamp !== undefined) yield { offset: start, stamp };
}
