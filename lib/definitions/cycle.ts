/** The names along a circle, first and last the same; `undefined` when there is none. */
export function cycleOf(
  names: readonly string[],
  arrows: readonly (readonly [from: string, to: string])[],
): readonly string[] | undefined {
  const next = new Map<string, string[]>();
  for (const [from, to] of arrows) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  for (const name of names) {
    // Depth first, without recursion: a chain may be a thousand operators long.
    const path: string[] = [];
    const stack: { name: string; leave: boolean }[] = [{ name, leave: false }];
    for (let item = stack.pop(); item; item = stack.pop()) {
      if (item.leave) {
        done.add(item.name);
        path.pop();
        continue;
      }
      if (done.has(item.name)) continue;
      const seen = path.indexOf(item.name);
      if (seen >= 0) return [...path.slice(seen), item.name];
      path.push(item.name);
      stack.push({ name: item.name, leave: true });
      for (const to of next.get(item.name) ?? []) stack.push({ name: to, leave: false });
    }
  }
  return undefined;
}
