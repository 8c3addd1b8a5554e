import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';

/** A program of the cluster: in the foreground, a child of this process, its output in a file. */
export interface Daemon {
  readonly name: string;
  readonly pid: number;
  /** What it printed last, for messages. */
  tail(): Promise<string>;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** Throws, with what it printed, when it ended. */
  check(): Promise<void>;
  /** Ends it and waits for that; SIGKILL is what a crash is. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface DaemonOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly log: string;
}

export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { name, command, args, cwd, env, log } = options;
  const file = await open(log, 'a');
  // Should this process die without a word, its daemons go with it.
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', command, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', file.fd, file.fd],
  });
  const ended = new Promise<number | string>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'nothing'));
  });
  await once(child, 'spawn').finally(() => file.close());

  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const tail = async () => (await readFile(log, 'utf8')).slice(-4000);

  return {
    name,
    pid: child.pid ?? 0,
    tail,
    ended,
    async check() {
      if (hasEnded())
        throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode}:\n${await tail()}`);
    },
    async stop(signal = 'SIGTERM') {
      if (hasEnded()) return;
      child.kill(signal);
      const timeouts = setTimeout(() => child.kill('SIGKILL'), 20_000);
      await ended;
      clearTimeout(timeouts);
    },
  };
}
