/** What has the same name, in the order that it came in. Names may be any text, `__proto__` too. */
export function grouped<T>(all: Iterable<T>, nameOf: (one: T, index: number) => string): Map<string, T[]> {
  const byName = new Map<string, T[]>();
  let index = 0;
  for (const one of all) {
    const name = nameOf(one, index++);
    const same = byName.get(name);
    if (same) same.push(one);
    else byName.set(name, [one]);
  }
  return byName;
}
