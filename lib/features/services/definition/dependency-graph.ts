/** What each service needs, by name. Names that are missing need nothing. */
export type Needs = ReadonlyMap<string, readonly string[]>;

/** All that these need, transitively and themselves included; what is needed comes before what needs it. */
export function allNeeded(names: readonly string[], needs: Needs): readonly string[] {
  const found = new Set<string>();
  // One set for all: there may be thousands of needs between a hundred services.
  const above = new Set<string>();
  const visit = (name: string) => {
    if (found.has(name) || above.has(name)) return;
    above.add(name);
    for (const needed of needs.get(name) ?? []) visit(needed);
    above.delete(name);
    found.add(name);
  };
  for (const name of names) visit(name);
  return [...found];
}

/** All that need this one, transitively. */
export function allNeeding(name: string, needs: Needs): ReadonlySet<string> {
  const users = new Map<string, string[]>();
  for (const [user, needed] of needs)
    for (const one of needed) {
      const others = users.get(one);
      if (others) others.push(user);
      else users.set(one, [user]);
    }
  const found = new Set<string>();
  const visit = (one: string) => {
    for (const user of users.get(one) ?? []) {
      if (found.has(user)) continue;
      found.add(user);
      visit(user);
    }
  };
  visit(name);
  return found;
}

/** Services that need themselves, in a row that begins and ends with the same one; `undefined` when there are none. */
export function circleIn(needs: Needs): readonly string[] | undefined {
  const fine = new Set<string>();
  const path = new Set<string>();
  const visit = (name: string): readonly string[] | undefined => {
    if (fine.has(name)) return undefined;
    if (path.has(name)) return [...[...path].slice([...path].indexOf(name)), name];
    path.add(name);
    for (const needed of needs.get(name) ?? []) {
      const circle = visit(needed);
      if (circle) return circle;
    }
    path.delete(name);
    fine.add(name);
    return undefined;
  };
  for (const name of needs.keys()) {
    const circle = visit(name);
    if (circle) return circle;
  }
  return undefined;
}
