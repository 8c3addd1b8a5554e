/** Work that goes on beside the reading, a few pieces at a time. */
export interface Jobs {
  /** Resolves when the piece has begun, which waits for room. Rejects with the first failure of any piece. */
  start(run: () => Promise<void>): Promise<void>;
  /** Resolves when all are done. */
  finish(): Promise<void>;
}

export function jobs(atOnce: number): Jobs {
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;

  const rethrow = () => {
    if (failure) throw failure.error;
  };

  return {
    async start(run) {
      while (running.size >= atOnce) await Promise.race(running);
      rethrow();
      const job = run()
        .catch((error) => {
          failure ??= { error };
        })
        .finally(() => running.delete(job));
      running.add(job);
    },
    async finish() {
      await Promise.all(running);
      rethrow();
    },
  };
}
