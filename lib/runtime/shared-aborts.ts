/** Many calls wait under one signal: they share one listener, because Node warns of more than ten. */
interface Aborts {
  /** Returns the function that ends it. */
  on(signal: AbortSignal, listener: () => void): () => void;
}

export function createAborts(): Aborts {
  const known = new WeakMap<AbortSignal, Set<() => void>>();
  return {
    on(signal, listener) {
      const listeners = known.get(signal) ?? new Set();
      if (!known.has(signal)) {
        known.set(signal, listeners);
        signal.addEventListener(
          'abort',
          () => {
            for (const one of [...listeners]) one();
          },
          { once: true },
        );
      }
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
