/** Wakes whoever waits for a change. */
interface ChangeSignal {
  tell(): void;
  /** Resolves at the next change, or when `signal` is aborted. */
  next(signal: AbortSignal): Promise<void>;
}

export function createChangeSignal(): ChangeSignal {
  const waiting = new Set<() => void>();

  return {
    tell() {
      for (const look of [...waiting]) look();
    },
    next: (signal) =>
      new Promise<void>((resolve) => {
        const done = () => {
          waiting.delete(done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        waiting.add(done);
        signal.addEventListener('abort', done, { once: true });
      }),
  };
}
