/** Nobody may ask for a long time, and what is old goes all the same. Milliseconds. */
const sweepEveryMillis = 3_600_000;

interface SweeperDeps {
  /** Whether the engine is open, and not about to close. */
  readonly isOpen: () => boolean;
  /** Never rejects. */
  readonly forgetExpired: () => Promise<void>;
}

/** Forgets applications whose time is over, from time to time and whenever somebody asks for any. */
interface Sweeper {
  start(): void;
  /** Those whose time is over are unknown when it returns. */
  sweep(): void;
  stop(): void;
  /** Resolves when the files of all that were forgotten are gone. */
  settled(): Promise<void>;
}

export function createSweeper({ isOpen, forgetExpired }: SweeperDeps): Sweeper {
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> = Promise.resolve();

  function sweep(): void {
    // Of those that closing does not wait for, the files would go after the directory was let go.
    if (!isOpen()) return;
    // Without the results: each would hold all those before.
    sweeping = Promise.all([sweeping, forgetExpired()]).then(() => {});
  }

  return {
    start() {
      timer = setInterval(sweep, sweepEveryMillis).unref();
      sweep();
    },
    sweep,
    stop: () => clearInterval(timer),
    settled: () => sweeping,
  };
}
