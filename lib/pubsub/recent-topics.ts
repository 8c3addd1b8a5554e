/** Names of topics that were published to lately, the newest last. */
export interface RecentTopics {
  add(name: string): void;
  list(): readonly string[];
}

export function createRecentTopics(limit: number, isListed: (name: string) => boolean): RecentTopics {
  const names = new Set<string>();
  let newest: string | undefined;
  return {
    add(name) {
      if (name === newest || !isListed(name)) return;
      newest = name;
      names.delete(name);
      names.add(name);
      const [oldest] = names.size > limit ? names : [];
      if (oldest !== undefined) names.delete(oldest);
    },
    list: () => [...names],
  };
}
