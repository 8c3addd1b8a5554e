import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeWhole } from 'headgate/driver-kit';
import { type AppendedLine, openPartAppender, type PartLimits } from './appender.js';
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
  let pending: AppendedLine[] = [];
  let pendingBytes = 0;
  let meta: readonly string[] | undefined;
  let lost = 0;
  let isWriting = false;
  /** Of what waits, and of what is being written. */
  let next = newSignal();
  let current = newSignal();
  const closing = new AbortController();
  const isClosed = () => closing.signal.aborted;

  async function write(): Promise<void> {
    isWriting = true;
    do {
      current = next;
      next = newSignal();
      const lines = pending;
      const bytes = pendingBytes;
      const nextMeta = meta;
      pending = [];
      meta = undefined;
      try {
        await parts.recovered();
        if (nextMeta)
          await writeWhole(join(directory, 'meta.txt'), nextMeta.map((line) => `${line}\n`).join(''));
        await parts.append(lines);
      } catch (error) {
        parts.failed();
        lost += lines.length;
        meta ??= nextMeta;
        options.onProblem(error);
        await delay(retryMillis, undefined, { ref: false, signal: closing.signal }).catch(() => {});
      }
      pendingBytes -= bytes;
      current.done();
    } while (pending.length > 0 || (meta && parts.isKnown));
    isWriting = false;
  }

  function start(): void {
    if (!isWriting) write();
  }

  async function flushed(): Promise<void> {
    if (isWriting) await (pending.length > 0 ? next : current).isDone;
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
      const time = format.timeOf(line);
      if (time === undefined || line.includes('\n'))
        throw new TypeError('A line needs a time and has no line break');
      const bytes = Buffer.byteLength(line) + 1;
      if (isClosed() || pendingBytes + bytes > options.maxPendingBytes) {
        lost++;
        return false;
      }
      pending.push({ line, time, bytes });
      pendingBytes += bytes;
      start();
      return true;
    },
    setMeta(lines) {
      if (isClosed()) return;
      meta = lines;
      start();
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

function newSignal(): { readonly isDone: Promise<void>; done: () => void } {
  let done = () => {};
  const isDone = new Promise<void>((resolve) => {
    done = resolve;
  });
  return { isDone, done };
}
