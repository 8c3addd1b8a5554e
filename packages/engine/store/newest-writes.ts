import { keyedMutex } from 'headgate/driver-kit';

/**
 * Writes what is kept under a key: one write at a time, and of the values that wait for it only the newest is written.
 * Resolves or rejects with the write that has the value, or one that is newer.
 */
export function newestWrites<Value>(
  write: (value: Value) => Promise<void>,
): (key: string, value: Value) => Promise<void> {
  const waiting = new Map<string, { value: Value; done: Promise<void> }>();
  const inTurn = keyedMutex();
  return (key, value) => {
    const queued = waiting.get(key);
    if (queued) {
      queued.value = value;
      return queued.done;
    }
    const entry = { value, done: Promise.resolve() };
    entry.done = inTurn(key, () => {
      waiting.delete(key);
      return write(entry.value);
    });
    waiting.set(key, entry);
    return entry.done;
  };
}
