/** Lets somebody wait for what events bring about, one after another. */
export interface Latch {
  /** Something happened. */
  notify(): void;
  /** Resolves when the condition holds, now or after a notification; rejects with what it throws, and with the signal's reason. */
  until(condition: () => boolean, signal: AbortSignal): Promise<void>;
}

export function createLatch(): Latch {
  const waiting = new Set<() => void>();
  return {
    notify() {
      for (const look of [...waiting]) look();
    },
    until(condition, signal) {
      return new Promise((resolve, reject) => {
        const end = () => {
          waiting.delete(look);
          signal.removeEventListener('abort', look);
        };
        const look = () => {
          try {
            signal.throwIfAborted();
            if (!condition()) return;
            end();
            resolve();
          } catch (error) {
            end();
            reject(error);
          }
        };
        waiting.add(look);
        signal.addEventListener('abort', look);
        look();
      });
    },
  };
}
