/** What each service needs, by name. Names that are missing need nothing. */
export type Needs = ReadonlyMap<string, readonly string[]>;

/** All that these need, transitively and themselves included; what is needed comes before what needs it. */
export function allNeeded(names: readonly string[], needs: Needs): readonly string[] {
  const found = new Set<string>();
  const visit = (name: string, above: ReadonlySet<string>) => {
    if (found.has(name) || above.has(name)) return;
    for (const needed of needs.get(name) ?? []) visit(needed, new Set([...above, name]));
    found.add(name);
  };
  for (const name of names) visit(name, new Set());
  return [...found];
}

/** Services that need themselves, in a row that begins and ends with the same one; `undefined` when there are none. */
export function circleIn(needs: Needs): readonly string[] | undefined {
  const fine = new Set<string>();
  const visit = (name: string, path: readonly string[]): readonly string[] | undefined => {
    const at = path.indexOf(name);
    if (at >= 0) return [...path.slice(at), name];
    if (fine.has(name)) return undefined;
    for (const needed of needs.get(name) ?? []) {
      const circle = visit(needed, [...path, name]);
      if (circle) return circle;
    }
    fine.add(name);
    return undefined;
  };
  for (const name of needs.keys()) {
    const circle = visit(name, []);
    if (circle) return circle;
  }
  return undefined;
}
