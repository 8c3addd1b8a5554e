/** What is to happen after a while, unless it is closed before. */
interface Delays {
  /** At once for 0. */
  after(millis: number, run: () => void): void;
  close(): void;
}

export function createDelays(): Delays {
  const timers = new Set<NodeJS.Timeout>();
  return {
    after(millis, run) {
      if (millis === 0) {
        run();
        return;
      }
      const timer = setTimeout(() => {
        timers.delete(timer);
        run();
      }, millis);
      timers.add(timer);
    },
    close() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
