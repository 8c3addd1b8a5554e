import { appendFile, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from 'headgate/driver-kit';
import { createTally, type PartFormat, type PartTally } from './format.js';
import { formatIndex, formatIndexLine, partName } from './index-line.js';
import { type ClosedPart, recover } from './recover.js';

/** Looked at each time anew: they may change while a collection grows. */
export interface PartLimits {
  /** A part that is larger is closed, bytes. */
  readonly maxPartBytes: number;
  /** A part whose first line is older than the newest by so much is closed, milliseconds. */
  readonly maxPartMillis: number;
  /** All parts together, bytes: the oldest are deleted. At least twice `maxPartBytes`, so that there is one to read. */
  readonly maxBytes: number;
  /** Parts whose newest line is older than the newest of all by so much are deleted, milliseconds. Default: none are. */
  readonly maxMillis?: number;
}

export interface AppendedLine {
  readonly line: string;
  readonly time: number;
  readonly bytes: number;
}

export interface AppendedPiece {
  readonly lines: readonly AppendedLine[];
  /** Lines of `meta.txt`; absent: it stays as it is. */
  readonly meta: readonly string[] | undefined;
}

/** The parts of a collection on the disk, as its one writer sees them. One call at a time. */
interface PartAppender {
  /** `false` after a write that failed: nobody knows what is there. */
  readonly isKnown: boolean;
  /** Where it is not known what is there, that is learned first; then it goes on in a part of its own. */
  write(piece: AppendedPiece): Promise<void>;
  /** Something was not written, or perhaps in part. */
  failed(): void;
  /** Closes the open part, and the collection for good. */
  end(): Promise<void>;
}

const ownerOnly = { mode: 0o600 };

export async function openPartAppender(
  directory: string,
  format: PartFormat,
  limits: PartLimits,
): Promise<PartAppender> {
  const path = (name: string) => join(directory, name);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  /** `undefined` after a write that failed. */
  let closed: ClosedPart[] | undefined = await recover(directory, format);
  let part = partAfter(closed, format);

  async function recovered(): Promise<void> {
    if (closed) return;
    closed = await recover(directory, format);
    part = partAfter(closed, format);
  }

  async function append(lines: readonly AppendedLine[]): Promise<void> {
    let text = '';
    const flush = async () => {
      if (text !== '') await appendFile(path(partName(part.number)), text, ownerOnly);
      text = '';
    };
    for (const { line, time, bytes } of lines) {
      const entry = part.bytes > 0 ? part.tally.entry() : undefined;
      if (entry && time - entry.first > limits.maxPartMillis) {
        await flush();
        await closePart();
      }
      text += `${line}\n`;
      part.bytes += bytes;
      part.tally.add(time, line);
      if (part.bytes <= limits.maxPartBytes) continue;
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
    part = partAfter(closed, format);
  }

  async function dropOldest(parts: ClosedPart[], now: number): Promise<void> {
    const dropped = outdated(parts, limits, now);
    if (dropped.length === 0) return;
    parts.splice(0, dropped.length);
    await writeWhole(path('index.txt'), formatIndex({ parts, ended: false }));
    for (const { number } of dropped) await rm(path(partName(number)), { force: true });
  }

  return {
    get isKnown() {
      return closed !== undefined;
    },
    async write({ lines, meta }) {
      await recovered();
      if (meta) await writeWhole(path('meta.txt'), meta.map((line) => `${line}\n`).join(''));
      await append(lines);
    },
    failed() {
      closed = undefined;
    },
    async end() {
      await recovered();
      await closePart();
      await appendFile(path('index.txt'), 'E\n', ownerOnly);
    },
  };
}

/** The part that is open. */
interface OpenPart {
  readonly number: number;
  readonly tally: PartTally;
  bytes: number;
}

function partAfter(closed: readonly ClosedPart[], format: PartFormat): OpenPart {
  const number = (closed.at(-1)?.number ?? -1) + 1;
  return { number, bytes: 0, tally: createTally(number, format) };
}

/** The first of them that are too many or too old. The newest stays: its number tells which one is open. */
function outdated(
  parts: readonly ClosedPart[],
  { maxPartBytes, maxBytes, maxMillis = Infinity }: PartLimits,
  now: number,
): readonly ClosedPart[] {
  let bytes = parts.reduce((sum, entry) => sum + entry.bytes, maxPartBytes);
  const older = parts.slice(0, -1);
  const kept = older.findIndex((entry) => {
    if (bytes <= maxBytes && now - entry.last <= maxMillis) return true;
    bytes -= entry.bytes;
    return false;
  });
  return kept < 0 ? older : older.slice(0, kept);
}

async function toDisk(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}
