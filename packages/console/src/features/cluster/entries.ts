export type Entry = readonly [name: string, value: string];

const collator = new Intl.Collator('en', { numeric: true });

/** By name; those in whose name or value all words of the filter are, in any case. */
export function shownEntries(configuration: Readonly<Record<string, string>>, filter: string): Entry[] {
  const wanted = filter.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return Object.entries(configuration)
    .filter((entry) => {
      const text = entry.join('\n').toLocaleLowerCase();
      return wanted.every((word) => text.includes(word));
    })
    .sort(([a], [b]) => collator.compare(a, b));
}
