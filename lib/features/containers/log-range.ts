import type { OpenLog } from '../../interfaces/logs.js';
import { maxLineBytes } from './line-splitter.js';

export interface ByteSpan {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Either bytes from `start` up to `end`, or the last ones. */
interface Wanted {
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  readonly lastBytes?: number | undefined;
}

/** The part of the log that was asked for, cut at its end. */
export async function spanOf(
  log: OpenLog,
  { start = 0, end = log.length, lastBytes }: Wanted,
): Promise<ByteSpan> {
  if (lastBytes !== undefined) return tailOf(log, lastBytes);
  return { start: Math.min(start, log.length), end: Math.min(end, log.length) };
}

/**
 * `docs/decisions.md`, A tail begins with a whole line. When no line begins within the longest that a line may be,
 * there is nothing that could be dropped: all of it is kept.
 */
async function tailOf(log: OpenLog, lastBytes: number): Promise<ByteSpan> {
  const start = log.length - lastBytes;
  if (start <= 0) return { start: 0, end: log.length };
  // From the byte before: a line break there means that the first line is whole.
  let at = start - 1;
  for await (const chunk of log.read(at, Math.min(log.length, at + maxLineBytes))) {
    const found = chunk.indexOf('\n');
    if (found >= 0) {
      const first = at + found + 1;
      return { start: first < log.length ? first : start, end: log.length };
    }
    at += chunk.length;
  }
  return { start, end: log.length };
}
