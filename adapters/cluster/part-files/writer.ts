import { appendFile, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createTally, type PartFormat, type PartTally } from './format.js';
import { formatIndex, formatIndexLine, partName } from './index-line.js';
import { type ClosedPart, recover } from './recover.js';
import { writeWhole } from './whole-files.js';

/** Looked at each time anew: they may change while a collection grows. */
interface PartLimits {
  /** A part that is larger is closed, bytes. */
  readonly maxPartBytes: number;
  /** A part whose first line is older than the newest by so much is closed, milliseconds. */
  readonly maxPartMillis: number;
  /** All parts together, bytes: the oldest are deleted. At least twice `maxPartBytes`, so that there is one to read. */
  readonly maxBytes: number;
  /** Parts whose newest line is older than the newest of all by so much are deleted, milliseconds. Default: none are. */
  readonly maxMillis?: number;
  /** Bytes that may wait to be written; what would go beyond is refused. */
  readonly maxPendingBytes: number;
}

export interface PartWriterOptions extends PartLimits {
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

interface PendingLine {
  readonly line: string;
  readonly time: number;
  readonly bytes: number;
}

const retryMillis = 1000;
const ownerOnly = { mode: 0o600 };

/** Goes on with what an earlier writer left, in a part of its own. One writer at a time. */
export async function openPartWriter(directory: string, options: PartWriterOptions): Promise<PartWriter> {
  const { format } = options;
  const path = (name: string) => join(directory, name);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  /** `undefined` after a write that failed: nobody knows what is there. */
  let closed: ClosedPart[] | undefined = await recover(directory, format);
  let part = newPart();
  let pending: PendingLine[] = [];
  let pendingBytes = 0;
  let meta: readonly string[] | undefined;
  let lost = 0;
  let isWriting = false;
  /** Of what waits, and of what is being written. */
  let next = newSignal();
  let current = newSignal();
  const closing = new AbortController();
  const isClosed = () => closing.signal.aborted;

  function newPart(): { tally: PartTally; bytes: number; readonly number: number } {
    const number = (closed?.at(-1)?.number ?? -1) + 1;
    return { number, bytes: 0, tally: createTally(number, format) };
  }

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
        if (!closed) await startOver();
        if (nextMeta) await writeWhole(path('meta.txt'), nextMeta.map((line) => `${line}\n`).join(''));
        await writeLines(lines);
      } catch (error) {
        closed = undefined;
        lost += lines.length;
        meta ??= nextMeta;
        options.onProblem(error);
        await delay(retryMillis, undefined, { ref: false, signal: closing.signal }).catch(() => {});
      }
      pendingBytes -= bytes;
      current.done();
    } while (pending.length > 0 || (meta && closed));
    isWriting = false;
  }

  async function startOver(): Promise<void> {
    closed = await recover(directory, format);
    part = newPart();
  }

  async function writeLines(lines: readonly PendingLine[]): Promise<void> {
    let text = '';
    const flush = async () => {
      if (text !== '') await appendFile(path(partName(part.number)), text, ownerOnly);
      text = '';
    };
    for (const { line, time, bytes } of lines) {
      const entry = part.bytes > 0 ? part.tally.entry() : undefined;
      if (entry && time - entry.first > options.maxPartMillis) {
        await flush();
        await closePart();
      }
      text += `${line}\n`;
      part.bytes += bytes;
      part.tally.add(time, line);
      if (part.bytes <= options.maxPartBytes) continue;
      await flush();
      await closePart();
    }
    await flush();
  }

  async function closePart(): Promise<void> {
    const entry = part.tally.entry();
    if (!entry || !closed) return;
    await toDisk(path(partName(part.number)));
    await appendFile(path('index.txt'), `${formatIndexLine(entry)}\n`, ownerOnly);
    closed.push({ ...entry, bytes: part.bytes });
    await dropOldest(closed, entry.last);
    part = newPart();
  }

  /** The newest closed part stays: its number tells which one is open. */
  async function dropOldest(parts: ClosedPart[], now: number): Promise<void> {
    const { maxPartBytes, maxBytes, maxMillis = Infinity } = options;
    let bytes = parts.reduce((sum, entry) => sum + entry.bytes, maxPartBytes);
    const dropped: ClosedPart[] = [];
    for (const entry of parts.slice(0, -1)) {
      if (bytes <= maxBytes && now - entry.last <= maxMillis) break;
      bytes -= entry.bytes;
      dropped.push(entry);
    }
    if (dropped.length === 0) return;
    parts.splice(0, dropped.length);
    await writeWhole(path('index.txt'), formatIndex({ parts, ended: false }));
    for (const { number } of dropped) await rm(path(partName(number)), { force: true });
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
        if (!closed) await startOver();
        await closePart();
        await appendFile(path('index.txt'), 'E\n', ownerOnly);
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

async function toDisk(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}
