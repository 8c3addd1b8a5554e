/** Lets somebody wait for what events bring about, one after another. */
export interface Condition {
  /** Something happened. */
  ring(): void;
  /** Resolves when the condition holds, now or after a ring; rejects with what it throws, and with the signal's reason. */
  until(condition: () => boolean, signal: AbortSignal): Promise<void>;
}

export function createCondition(): Condition {
  const waiting = new Set<() => void>();
  return {
    ring() {
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
