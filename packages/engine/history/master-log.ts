import { constants } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMissing } from 'headgate/driver-kit';
import { logLine } from '../model/log-lines.js';

/** The log of an application master: what the engine decided about one application. It never holds the engine up. */
export interface MasterLog {
  /** `at`: epoch milliseconds. */
  write(at: number, level: string, message: string): void;
  /** Resolves when everything so far is on disk, or lost. */
  settled(): Promise<void>;
  /** Nothing is written any more. */
  end(): Promise<void>;
}

export interface MasterLogOptions {
  /** Size of the file before it is rotated, bytes. */
  readonly logFileBytes: number;
  /** Files that are kept, the current one included. */
  readonly logFiles: number;
  /** Something could not be written; the application goes on. */
  readonly onProblem: (error: unknown) => void;
}

/** What waits for the disk, bytes; what comes beyond it is counted. */
const maxWaitingBytes = 1024 * 1024;
const logger = 'headgate.engine.Master';

/** `application` is the directory of an application's files, `master` the id of its master's container. */
export const masterLogPath = (application: string, master: string): string =>
  join(application, 'containers', master, 'headgate.log');

/**
 * Goes on with the file that is there. It is opened for each writing, so that applications that say nothing hold no file
 * open, and through no link: operators run as the same user.
 */
export function createMasterLog(path: string, options: MasterLogOptions): MasterLog {
  let waiting: string[] = [];
  let waitingBytes = 0;
  let lost = 0;
  let isClosed = false;
  /** After a failure the file may end in a cut line. */
  let isWhole = true;
  let writing: Promise<void> | undefined;

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      const lines = waiting;
      const missing = lost;
      waiting = [];
      waitingBytes = 0;
      lost = 0;
      try {
        await append(textOf(lines, missing));
        isWhole = true;
      } catch (error) {
        // One word about a disk that stays full is enough.
        if (isWhole) options.onProblem(error);
        isWhole = false;
        lost += lines.length + missing;
      }
    }
    writing = undefined;
  }

  const textOf = (lines: readonly string[], missing: number) => {
    const gap =
      missing > 0 ? logLine(Date.now(), 'WARN', logger, `${missing} lines could not be written`) : '';
    return `${isWhole ? '' : '\n'}${gap}${lines.join('')}`;
  };

  async function append(text: string): Promise<void> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const { size } = await stat(path).catch(() => ({ size: 0 }));
    if (size > 0 && size + Buffer.byteLength(text) > options.logFileBytes) await rotate();
    const file = await open(path, appendToPlainFile, 0o600);
    try {
      await file.appendFile(text);
    } finally {
      await file.close();
    }
  }

  async function rotate(): Promise<void> {
    for (let i = options.logFiles - 1; i >= 1; i--)
      await rename(i === 1 ? path : `${path}.${i - 1}`, `${path}.${i}`).catch(ignoreMissing);
    if (options.logFiles <= 1) await rm(path, { force: true });
  }

  return {
    write(at, level, message) {
      if (isClosed) return;
      const line = logLine(at, level, logger, message);
      const bytes = Buffer.byteLength(line);
      if (waitingBytes + bytes > maxWaitingBytes) {
        lost++;
        return;
      }
      waiting.push(line);
      waitingBytes += bytes;
      writing ??= work();
    },
    settled: async () => writing,
    async end() {
      isClosed = true;
      await writing;
    },
  };
}

/** Neither through a link, nor waiting for the other end of a pipe. Windows has neither flag. */
const appendToPlainFile =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}
