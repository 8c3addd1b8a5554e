import { appendFile, type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { formatIndexLine, type PartEntry, partName } from '@headgate/history/formats';
import { writeWhole } from 'headgate/runtime';

/**
 * The files of one recording, written by one writer from the beginning to the end. Other than a `PartWriter` it takes
 * text of many lines, and its caller knows what the index says: at the rate of tuples neither may be found out line by
 * line. Never waits: what is written meanwhile goes to the disk as one piece.
 */
export interface RecordingFiles {
  /** Bytes that wait for the disk. */
  readonly pendingBytes: number;
  /** Whole lines. Returns their bytes. */
  write(text: string): number;
  /** The part is whole; what is written next begins another. */
  closePart(entry: PartEntry): void;
  /** Resolves when all is written, with the end mark. Never rejects: see `onProblem`. */
  end(): Promise<void>;
}

interface RecordingFilesOptions {
  readonly directory: string;
  /** Lines of `meta.txt`. */
  readonly meta: readonly string[];
  /** Nothing is written any more. Told once. */
  readonly onProblem: (error: unknown) => void;
}

/** Rejects when the directory can't be written. */
export async function openRecordingFiles(options: RecordingFilesOptions): Promise<RecordingFiles> {
  const { directory } = options;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeWhole(join(directory, 'meta.txt'), options.meta.map((line) => `${line}\n`).join(''));
  let pending: (Buffer | PartEntry | 'end')[] = [];
  let pendingBytes = 0;
  let part = 0;
  let file: FileHandle | undefined;
  let writing: Promise<void> | undefined;
  let hasFailed = false;

  async function drain(): Promise<void> {
    while (pending.length > 0 && !hasFailed) {
      const steps = pending;
      pending = [];
      try {
        await carryOut(steps);
      } catch (error) {
        hasFailed = true;
        options.onProblem(error);
      }
      pendingBytes -= bytesOf(steps);
    }
    if (hasFailed) await file?.close().catch(() => {});
    writing = undefined;
  }

  async function carryOut(steps: readonly (Buffer | PartEntry | 'end')[]): Promise<void> {
    let chunks: Buffer[] = [];
    const flush = async () => {
      if (chunks.length === 0) return;
      file ??= await open(join(directory, partName(part)), 'a', 0o600);
      await file.appendFile(Buffer.concat(chunks));
      chunks = [];
    };
    for (const step of steps) {
      if (Buffer.isBuffer(step)) {
        chunks.push(step);
        continue;
      }
      await flush();
      if (step === 'end') await appendFile(join(directory, 'index.txt'), 'E\n', ownerOnly);
      else await closeFile(step);
    }
    await flush();
  }

  async function closeFile(entry: PartEntry): Promise<void> {
    await file?.datasync();
    await file?.close();
    file = undefined;
    await appendFile(join(directory, 'index.txt'), `${formatIndexLine(entry)}\n`, ownerOnly);
    part = entry.number + 1;
  }

  function add(step: Buffer | PartEntry | 'end'): void {
    if (hasFailed) return;
    pending.push(step);
    pendingBytes += bytesOf([step]);
    writing ??= drain();
  }

  return {
    get pendingBytes() {
      return pendingBytes;
    },
    write(text) {
      const bytes = Buffer.from(text);
      add(bytes);
      return bytes.length;
    },
    closePart: add,
    async end() {
      add('end');
      await writing;
    },
  };
}

const ownerOnly = { mode: 0o600 };

const bytesOf = (steps: readonly (Buffer | PartEntry | 'end')[]): number =>
  steps.reduce((sum, step) => sum + (Buffer.isBuffer(step) ? step.length : 0), 0);
