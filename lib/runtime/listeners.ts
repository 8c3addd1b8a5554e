/** Who wants to be told. One that throws does not keep the others from hearing. */
interface Listeners<A extends readonly unknown[]> {
  /** Returns the function that stops telling. */
  add(listener: (...args: A) => void): () => void;
  tell(...args: A): void;
}

export function createListeners<A extends readonly unknown[]>(
  onError: (error: unknown) => void,
): Listeners<A> {
  const all = new Set<{ listener: (...args: A) => void }>();
  return {
    add(listener) {
      const entry = { listener };
      all.add(entry);
      return () => {
        all.delete(entry);
      };
    },
    tell(...args) {
      for (const { listener } of [...all]) {
        try {
          listener(...args);
        } catch (error) {
          onError(error);
        }
      }
    },
  };
}
