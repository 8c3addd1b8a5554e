/** Topics with a common first part, in the order of their names. */
interface NameGroup {
  readonly title: string;
  readonly names: readonly string[];
}

const collator = new Intl.Collator('en', { numeric: true });

/** What there is to choose from: each name once, those that fit, by their first part. */
export function groupsOf(names: readonly string[], filter: string): readonly NameGroup[] {
  const wanted = filter.trim().toLowerCase();
  const groups = new Map<string, string[]>();
  for (const name of [...new Set(names)].sort(collator.compare)) {
    if (!name.toLowerCase().includes(wanted)) continue;
    const title = name.split('.', 1)[0] ?? name;
    groups.set(title, [...(groups.get(title) ?? []), name]);
  }
  return [...groups].map(([title, inside]) => ({ title, names: inside }));
}
