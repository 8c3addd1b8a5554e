import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limitMillis } from '../../helpers/waiting.js';
import { type DaemonOptions, startDaemon } from '../yarn/daemon.js';

export { freePorts } from '../../helpers/ports.js';

/** What tests end with. */
export interface Teardown {
  teardown(end: () => unknown): unknown;
}

/** A directory that goes when the test ends. */
export async function directoryOf(t: Teardown, name: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), `headgate-${name}-`));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

export interface Peer {
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** A program in the foreground; resolves when it answers. Stopped when the test ends. */
export async function startPeer(
  t: Teardown,
  options: Omit<DaemonOptions, 'env' | 'log'> & {
    env?: Readonly<Record<string, string>>;
    answers: () => Promise<boolean>;
  },
): Promise<Peer> {
  const { answers, env = {}, ...rest } = options;
  const daemon = await startDaemon({ ...rest, env, log: join(rest.cwd, `${rest.name}.log`) });
  t.teardown(() => daemon.stop());
  const until = Date.now() + limitMillis;
  while (!(await answers())) {
    await daemon.check();
    if (Date.now() > until) throw new Error(`${rest.name} does not answer:\n${await daemon.tail()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return daemon;
}

/** Whether somebody accepts connections at this port of the loopback, or at this socket. */
export function accepts(at: number | string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = typeof at === 'number' ? connect(at, '127.0.0.1') : connect(at);
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
