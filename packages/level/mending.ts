import { setTimeout as wait } from 'node:timers/promises';
import { pauseAfter } from 'headgate/driver-kit';

/** At least so long from one attempt to the next, and at most so long until the next that nobody asked for; milliseconds. */
const pause = { shortest: 100, longest: 5000 };

/** Mends what broke: at once, then again and again at growing distances, and sooner for those who need it. */
interface Mending {
  readonly isNeeded: boolean;
  begin(): void;
  /** Resolves at once when nothing is broken, else after the next attempt: rejects with why it failed. */
  attempt(): Promise<void>;
  /** Resolves when nothing is broken. Stays open when it is stopped before. */
  done(): Promise<void>;
  /** Resolves when nothing is attempted any more. */
  stop(): Promise<void>;
}

export function createMending(mend: () => Promise<void>): Mending {
  let isNeeded = false;
  let isStopped = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let lastEnd = -Infinity;
  let failures = 0;
  let whenDone: (() => void)[] = [];

  async function run(): Promise<void> {
    clearTimeout(timer);
    try {
      await wait(Math.max(0, lastEnd + pause.shortest - performance.now()));
      await mend();
      isNeeded = false;
      failures = 0;
      for (const tell of whenDone) tell();
      whenDone = [];
    } catch (error) {
      const millis = pauseAfter(++failures, { first: 2 * pause.shortest, most: pause.longest }, 0);
      if (!isStopped) timer = setTimeout(inBackground, millis).unref();
      throw error;
    } finally {
      lastEnd = performance.now();
      running = undefined;
    }
  }

  async function attempt(): Promise<void> {
    if (!isNeeded) return;
    if (isStopped) throw new Error('it was closed');
    running ??= run();
    await running;
  }

  // Who asks is told why it failed.
  const inBackground = () => void attempt().catch(() => {});

  return {
    get isNeeded() {
      return isNeeded;
    },
    begin() {
      isNeeded = true;
      inBackground();
    },
    attempt,
    async done() {
      if (isNeeded) await new Promise<void>((resolve) => whenDone.push(resolve));
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running?.catch(() => {});
    },
  };
}
