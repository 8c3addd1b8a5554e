import { setTimeout as delay } from 'node:timers/promises';
import { type AppendedLine, type AppendedPiece, openPartAppender, type PartLimits } from './appender.js';
import type { PartFormat } from './format.js';

export interface PartWriterOptions extends PartLimits {
  /** Bytes that may wait to be written; what would go beyond is refused. Looked at each time anew, too. */
  readonly maxPendingBytes: number;
  readonly format: PartFormat;
  /** Something could not be written and is lost; tried again with what comes next, after a second at the soonest. */
  readonly onProblem: (error: unknown) => void;
}

/**
 * Appends to a collection. Never waits and never throws for the disk's sake: what is appended is written soon, in order,
 * as one piece with what came meanwhile. It outlives the process once written; only closed parts outlive the machine.
 */
export interface PartWriter {
  /** `false`: too much is waiting, nothing was appended. A line without time (see the format) or with a break throws. */
  append(line: string): boolean;
  /** Replaces `meta.txt`, in order with what is appended. */
  setMeta(lines: readonly string[]): void;
  /** Bytes that wait to be written. */
  readonly pendingBytes: number;
  /** Lines that were refused, or lost to a disk that could not be written. */
  readonly lost: number;
  /** Resolves when all that was appended is written or lost. */
  flushed(): Promise<void>;
  /** Writes what waits. Another writer may go on later. Appending afterwards is refused. */
  close(): Promise<void>;
  /** Closes for good, which readers can see. */
  end(): Promise<void>;
}

const retryMillis = 1000;

/** Goes on with what an earlier writer left, in a part of its own. One writer at a time. */
export async function openPartWriter(directory: string, options: PartWriterOptions): Promise<PartWriter> {
  const { format } = options;
  const parts = await openPartAppender(directory, format, options);
  /** What waits, and what is being written. */
  let next = newPiece();
  let current = newPiece();
  let pendingBytes = 0;
  let lost = 0;
  let isWriting = false;
  const closing = new AbortController();
  const isClosed = () => closing.signal.aborted;

  async function write(): Promise<void> {
    if (isWriting) return;
    isWriting = true;
    do {
      current = next;
      next = newPiece();
      try {
        await parts.write(current);
      } catch (error) {
        parts.failed();
        lost += current.lines.length;
        next.meta ??= current.meta;
        options.onProblem(error);
        await delay(retryMillis, undefined, { ref: false, signal: closing.signal }).catch(() => {});
      }
      pendingBytes -= current.bytes;
      current.done();
    } while (next.lines.length > 0 || (next.meta && parts.isKnown));
    isWriting = false;
  }

  async function flushed(): Promise<void> {
    if (isWriting) await (next.lines.length > 0 ? next : current).isDone;
  }

  async function close(): Promise<void> {
    closing.abort();
    while (isWriting) await current.isDone;
  }

  return {
    get pendingBytes() {
      return pendingBytes;
    },
    get lost() {
      return lost;
    },
    append(line) {
      const added = appendedLine(line, format);
      const { bytes } = added;
      if (isClosed() || pendingBytes + bytes > options.maxPendingBytes) {
        lost++;
        return false;
      }
      next.lines.push(added);
      next.bytes += bytes;
      pendingBytes += bytes;
      write();
      return true;
    },
    setMeta(lines) {
      if (isClosed()) return;
      next.meta = lines;
      write();
    },
    flushed,
    close,
    async end() {
      await close();
      try {
        await parts.end();
      } catch (error) {
        options.onProblem(error);
      }
    },
  };
}

/** What is written at once. */
interface Piece extends AppendedPiece {
  readonly lines: AppendedLine[];
  bytes: number;
  meta: readonly string[] | undefined;
  /** Resolves when it is written or lost. */
  readonly isDone: Promise<void>;
  readonly done: () => void;
}

function newPiece(): Piece {
  let done = () => {};
  const isDone = new Promise<void>((resolve) => {
    done = resolve;
  });
  return { lines: [], bytes: 0, meta: undefined, isDone, done };
}

function appendedLine(line: string, format: PartFormat): AppendedLine {
  const time = format.timeOf(line);
  if (time === undefined || line.includes('\n'))
    throw new TypeError('A line needs a time and has no line break');
  return { line, time, bytes: Buffer.byteLength(line) + 1 };
}
