/** Names of topics that were published to lately, the newest last. */
export interface RecentTopics {
  add(name: string): void;
  list(): readonly string[];
}

export function createRecentTopics(limit: number, isListed: (name: string) => boolean): RecentTopics {
  /** To the number of the publication: putting a name at the end of a set would cost more, and it is done for each. */
  const lastOf = new Map<string, number>();
  let publications = 0;
  const byAge = () => [...lastOf].sort(([, a], [, b]) => a - b).map(([name]) => name);
  return {
    add(name) {
      if (!lastOf.has(name)) {
        if (!isListed(name)) return;
        // Sorted once for as many names as are kept.
        if (lastOf.size >= limit * 2) for (const old of byAge().slice(0, -limit)) lastOf.delete(old);
      }
      lastOf.set(name, ++publications);
    },
    list: () => byAge().slice(-limit),
  };
}
