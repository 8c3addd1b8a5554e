import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { NotReady, ownedProcess, Unreachable } from 'headgate/driver-kit';
import type { AcceptAnswer, HelperReady } from './kerberos-messages.js';

interface Acceptor {
  /**
   * A token whose helper ends meanwhile is looked at once more, by a new one: whatever ended that one may have had nothing
   * to do with it. Rejects with `Unreachable` when that ends as well, or hangs.
   */
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

class HelperEnded extends Error {}

interface Helper {
  readonly process: ChildProcess;
  hasEnded: boolean;
  readonly waiting: Map<number, (answer: AcceptAnswer | HelperEnded) => void>;
}

interface AcceptorOptions {
  /** `HTTP@host`. */
  readonly service: string;
  readonly env: Readonly<Record<string, string>>;
  readonly execPath: string | undefined;
}

/** Runs the helper, which lives as long as nothing is wrong with it. */
export function createAcceptor(options: AcceptorOptions): Acceptor {
  const { service } = options;
  let latest: Helper | undefined;
  /** The latest, once it is ready. */
  let ready: Promise<Helper> | undefined;
  let nextId = 1;
  let closed = false;

  function helperOrNew(): Promise<Helper> {
    if (closed) throw new NotReady('Kerberos is closed');
    if (ready === undefined || latest?.hasEnded)
      ready = launchHelper(options, (helper) => {
        latest = helper;
      });
    return ready;
  }

  async function ask(token: string, signal: AbortSignal): Promise<AcceptAnswer | HelperEnded> {
    const helper = await helperOrNew().catch((error: unknown) => {
      throw new Unreachable('Kerberos', error);
    });
    signal.throwIfAborted();
    if (helper.waiting.size >= maxWaiting) throw new NotReady('Too many people log in at once; try again');
    const id = nextId++;
    return await new Promise((resolve, reject) => {
      let isHanging = false;
      const hanging = setTimeout(() => {
        isHanging = true;
        helper.process.kill('SIGKILL');
      }, hangMillis);
      const leave = () => reject(signal.reason);
      signal.addEventListener('abort', leave, { once: true });
      helper.waiting.set(id, (answer) => {
        clearTimeout(hanging);
        signal.removeEventListener('abort', leave);
        if (answer instanceof HelperEnded && isHanging) reject(new Unreachable('Kerberos', answer));
        else resolve(answer);
      });
      // Whether it arrived is told by the answer, or by the end of the helper.
      helper.process.send({ id, service, token }, () => undefined);
    });
  }

  return {
    async start() {
      await helperOrNew();
    },

    async accept(token, signal) {
      for (let attempts = 2; ; attempts--) {
        const answer = await ask(token, signal);
        if (!(answer instanceof HelperEnded)) return answer;
        if (attempts === 1) throw new Unreachable('Kerberos', answer);
      }
    },

    close() {
      closed = true;
      latest?.process.kill('SIGKILL');
    },
  };
}

/** Throws with a sentence when it is not beside this code. In a bundle there may be no URL to begin from. */
function helperFile(): string {
  const { url } = import.meta;
  const file = url && fileURLToPath(new URL('./kerberos-helper.js', url));
  if (!file || !existsSync(file))
    throw new Error(
      '@headgate/directory can not find its own file kerberos-helper.js: keep the package out of the bundle (external) and ship it in node_modules',
    );
  return file;
}

/** Resolves when it is ready; `begun` gets it before that, so that it can be ended meanwhile. */
async function launchHelper(
  { env, execPath }: Pick<AcceptorOptions, 'env' | 'execPath'>,
  begun: (helper: Helper) => void,
): Promise<Helper> {
  const child = ownedProcess(
    fork(helperFile(), {
      ...(execPath === undefined ? {} : { execPath }),
      env,
      execArgv: ['--max-old-space-size=64'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    }),
  );
  const helper: Helper = { process: child, hasEnded: false, waiting: new Map() };
  begun(helper);
  const ended = new Promise<never>((_, reject) => {
    const end = (reason: unknown) => {
      helper.hasEnded = true;
      const error = new HelperEnded(`The helper process ended (${reason})`);
      for (const answer of helper.waiting.values()) answer(error);
      helper.waiting.clear();
      reject(error);
    };
    // One that ended may have errors to tell for each message that did not reach it.
    child.on('error', end);
    child.once('exit', (code, signal) => end(code ?? signal));
  });
  ended.catch(() => undefined);
  const timer = setTimeout(() => child.kill('SIGKILL'), startMillis);
  try {
    const first = new Promise<HelperReady>((resolve) => child.once('message', resolve));
    const said = await Promise.race([first, ended]);
    if (!said.ready) throw new Error(said.why);
  } finally {
    clearTimeout(timer);
  }
  child.on('message', (answer: AcceptAnswer) => {
    helper.waiting.get(answer.id)?.(answer);
    helper.waiting.delete(answer.id);
  });
  return helper;
}
