import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { NotReady, Unreachable } from '../../lib/index.js';
import type { AcceptAnswer, HelperReady } from './kerberos-messages.js';

export interface Acceptor {
  /** Rejects when the helper ends or hangs meanwhile; the next token gets a new one. */
  accept(token: string, signal: AbortSignal): Promise<AcceptAnswer>;
  /** Starts the helper, if none runs. Rejects when it can't load the package. */
  start(): Promise<void>;
  close(): void;
}

/** Tokens that are looked at or wait; more are refused. */
const maxWaiting = 100;
/** A token costs less than a millisecond: whoever thinks for so long does not come back. */
const hangMillis = 5000;
const startMillis = 10_000;

interface Helper {
  readonly process: ChildProcess;
  readonly waiting: Map<number, (answer: AcceptAnswer | Error) => void>;
}

/** Runs the helper, which lives as long as nothing is wrong with it. */
export function createAcceptor(options: {
  /** `HTTP@host`. */
  service: string;
  env: Readonly<Record<string, string>>;
  execPath: string | undefined;
}): Acceptor {
  const { service, env, execPath } = options;
  let running: Promise<Helper> | undefined;
  let nextId = 1;
  let closed = false;

  async function launch(): Promise<Helper> {
    const child = fork(fileURLToPath(new URL('./kerberos-helper.js', import.meta.url)), {
      ...(execPath === undefined ? {} : { execPath }),
      env,
      execArgv: ['--max-old-space-size=64'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const helper: Helper = { process: child, waiting: new Map() };
    const ended = new Promise<never>((_, reject) => {
      const end = (reason: unknown) => {
        running = undefined;
        const error = new Error(`The helper process ended (${reason})`);
        for (const answer of helper.waiting.values()) answer(error);
        helper.waiting.clear();
        reject(error);
      };
      child.once('error', end);
      child.once('exit', (code, signal) => end(code ?? signal));
    });
    ended.catch(() => undefined);
    const patience = setTimeout(() => child.kill('SIGKILL'), startMillis);
    try {
      const first = new Promise<HelperReady>((resolve) => child.once('message', resolve));
      const ready = await Promise.race([first, ended]);
      if (!ready.ready) throw new Error(ready.why);
    } finally {
      clearTimeout(patience);
    }
    child.on('message', (answer: AcceptAnswer) => {
      helper.waiting.get(answer.id)?.(answer);
      helper.waiting.delete(answer.id);
    });
    if (closed) child.kill('SIGKILL');
    return helper;
  }

  function helperOrNew(): Promise<Helper> {
    if (closed) throw new NotReady('Kerberos is closed');
    running ??= launch().catch((error: unknown) => {
      running = undefined;
      throw error;
    });
    return running;
  }

  return {
    async start() {
      await helperOrNew();
    },

    async accept(token, signal) {
      const helper = await helperOrNew().catch((error: unknown) => {
        throw new Unreachable('Kerberos', error);
      });
      signal.throwIfAborted();
      if (helper.waiting.size >= maxWaiting) throw new NotReady('Too many people log in at once; try again');
      const id = nextId++;
      return await new Promise<AcceptAnswer>((resolve, reject) => {
        const hanging = setTimeout(() => helper.process.kill('SIGKILL'), hangMillis);
        const leave = () => reject(signal.reason);
        signal.addEventListener('abort', leave, { once: true });
        helper.waiting.set(id, (answer) => {
          clearTimeout(hanging);
          signal.removeEventListener('abort', leave);
          if (answer instanceof Error) reject(new Unreachable('Kerberos', answer));
          else resolve(answer);
        });
        helper.process.send({ id, service, token });
      });
    },

    close() {
      closed = true;
      running?.then(({ process }) => process.kill('SIGKILL')).catch(() => undefined);
    },
  };
}
