/**
 * What is made of an object, made once of the same one: those who listen look more often than what they look at is asked. A promise that
 * was rejected is made anew.
 */
export function onceOf<K extends object, T>(make: (of: K) => T): (of: K) => T {
  const made = new WeakMap<K, { readonly result: T }>();
  return (of) => {
    const before = made.get(of);
    if (before) return before.result;
    const result = make(of);
    made.set(of, { result });
    if (result instanceof Promise) result.catch(() => made.delete(of));
    return result;
  };
}
