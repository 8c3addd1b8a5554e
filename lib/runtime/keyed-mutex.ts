/** Work of the same key runs one piece after the other, in the order of the calls. */
type KeyedMutex = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function keyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    // Mostly nobody is before it, and a promise to wait for would cost a turn of the queue.
    const before = last.get(key);
    const done = before === undefined ? work() : before.then(work, work);
    last.set(key, done);
    try {
      return await done;
    } finally {
      if (last.get(key) === done) last.delete(key);
    }
  };
}
