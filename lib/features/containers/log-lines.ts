import type { OpenLog } from '../../interfaces/logs.js';
import type { TimeSlice } from '../../runtime/event-loop.js';
import { createLineSplitter, maxLineBytes, type RawLine } from './line-splitter.js';
import type { ByteSpan } from './log-range.js';

/**
 * Lines of a part of a log, first to last, to be taken one by one: lists of them would live long enough to cost the
 * collector more than the search. The turn's slice may be over after each of them.
 */
export async function* linesForwards(
  log: OpenLog,
  span: ByteSpan,
  slice: TimeSlice,
): AsyncGenerator<Iterable<RawLine>> {
  const splitter = createLineSplitter(span.start);
  for await (const chunk of log.read(span.start, span.end)) {
    if (slice.isOver()) await slice.next();
    yield splitter.push(chunk);
  }
  yield splitter.end();
}

const newline = 10;
const blockBytes = 64 * 1024;

/** Lines of a part of a log, last to first, read block by block from its end. Without those that are too long. */
export async function* linesBackwards(
  log: OpenLog,
  span: ByteSpan,
  slice: TimeSlice,
): AsyncGenerator<RawLine[]> {
  /** The end of a line that begins further up; `undefined` when that is too long. */
  let rest: Buffer | undefined = Buffer.alloc(0);
  for (let end = span.end; end > span.start; ) {
    const start = Math.max(span.start, end - blockBytes);
    const read = await bytesOf(log, { start, end });
    if (slice.isOver()) await slice.next();
    const known: Buffer =
      rest === undefined ? read.subarray(0, read.lastIndexOf(newline) + 1) : Buffer.concat([read, rest]);
    const first = start === span.start ? 0 : known.indexOf(newline) + 1;
    if (first === 0 && start > span.start) rest = known.length > maxLineBytes ? undefined : known;
    else {
      const splitter = createLineSplitter(start + first);
      yield [...splitter.push(known.subarray(first)), ...splitter.end()].reverse();
      rest = Buffer.from(known.subarray(0, first));
    }
    end = start;
  }
}

async function bytesOf(log: OpenLog, { start, end }: ByteSpan): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of log.read(start, end)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
