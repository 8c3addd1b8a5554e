/** Work of the same key runs one piece after the other, in the order of the calls; none begins within its call. */
type KeyedMutex = <T>(key: string, work: () => Promise<T>) => Promise<T>;

interface Turns {
  /** Pieces that run or wait. */
  count: number;
  /** The newest of them. */
  last: Promise<unknown>;
}

/** Keys that nobody uses stay in their place, so many: V8 makes a map anew when its only entry is taken out. */
const maxIdle = 100;
const nothing = Promise.resolve();

export function keyedMutex(): KeyedMutex {
  const turns = new Map<string, Turns>();

  function turnsOf(key: string): Turns {
    const known = turns.get(key);
    if (known) return known;
    const made: Turns = { count: 0, last: nothing };
    turns.set(key, made);
    return made;
  }

  return async (key, work) => {
    const own = turnsOf(key);
    own.count++;
    const done = own.last.then(work, work);
    own.last = done;
    try {
      return await done;
    } finally {
      if (--own.count === 0) {
        own.last = nothing;
        if (turns.size > maxIdle) turns.delete(key);
      }
    }
  };
}
