import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { ownedProcess } from 'headgate/driver-kit';

/** For programs that were given none. */
export const commandPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

interface RunOptions {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  /** It and all that it started are ended then, milliseconds. */
  readonly timeoutMillis: number;
  /** Of what it says, bytes; what goes beyond is dropped. */
  readonly outputBytes: number;
  readonly signal?: AbortSignal | undefined;
  /**
   * Reads what it says instead of having it collected, at its own pace; the program is ended when that stops before the
   * end, or fails.
   */
  readonly consume?: (stdout: Readable) => Promise<void>;
}

export interface Run {
  readonly stdout: string;
  readonly stderr: string;
  /** `null`: it was killed. */
  readonly code: number | null;
  readonly isLate: boolean;
}

/** Runs a program to its end. Rejects when it can't be started, and with the reason of the signal. */
export async function run(options: RunOptions): Promise<Run> {
  const { timeoutMillis, outputBytes, signal } = options;
  signal?.throwIfAborted();
  const child = ownedProcess(
    spawn(options.command, options.arguments, {
      cwd: options.directory,
      env: { ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own: the engine's script stays, and its Java is a child of that.
      detached: true,
    }),
  );
  const { consume } = options;
  const stdout = consume ? () => '' : collect(child.stdout, outputBytes);
  const stderr = collect(child.stderr, outputBytes);
  let isLate = false;
  const end = () => endGroup(child.pid);
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, timeoutMillis);
  signal?.addEventListener('abort', end, { once: true });
  try {
    const closed = once(child, 'close');
    const consumed = consume?.(child.stdout).finally(() => {
      if (!child.stdout.readableEnded) end();
    });
    closed.catch(() => child.stdout.destroy());
    // Both, also when one fails: what was read may be something that has to be removed.
    const settled = await Promise.allSettled([closed, consumed]);
    for (const one of settled) if (one.status === 'rejected') throw one.reason;
    signal?.throwIfAborted();
    return { stdout: stdout(), stderr: stderr(), code: child.exitCode, isLate };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** The beginning, which holds the cause, and as much of the end. */
function collect(output: NodeJS.ReadableStream, maxBytes: number): () => string {
  let head = '';
  let tail = '';
  output.setEncoding('utf8');
  output.on('data', (text: string) => {
    const room = Math.max(0, maxBytes / 2 - head.length);
    head += text.slice(0, room);
    tail = (tail + text.slice(room)).slice(-maxBytes / 2);
  });
  return () => head + tail;
}
