/**
 * What many want, taken in turn: one thing of each, round and round, and what is one's own in the order that it came. So
 * nobody waits longer for having come behind somebody who wants much.
 */
interface RoundRobin<T> {
  readonly size: number;
  countOf(whose: string): number;
  add(whose: string, item: T): void;
  /** Takes out the next one whose turn it is, of those that `may` have one. */
  take(may?: (whose: string) => boolean): T | undefined;
  /** Whether it was there. */
  remove(whose: string, item: T): boolean;
  /** Who has most; of several the first in turn. */
  busiest(): string | undefined;
  /** Takes out the newest. */
  takeNewest(whose: string): T | undefined;
}

export function createRoundRobin<T>(): RoundRobin<T> {
  /** In the order of their turns; nobody is here with nothing. */
  const all = new Map<string, T[]>();
  let size = 0;

  function drop(whose: string, at: number): T | undefined {
    const own = all.get(whose);
    const [item] = own?.splice(at, 1) ?? [];
    if (item === undefined) return undefined;
    size--;
    if (own?.length === 0) all.delete(whose);
    return item;
  }

  return {
    get size() {
      return size;
    },
    countOf: (whose) => all.get(whose)?.length ?? 0,
    add(whose, item) {
      const own = all.get(whose);
      if (own) own.push(item);
      else all.set(whose, [item]);
      size++;
    },
    take(may = () => true) {
      for (const whose of all.keys()) {
        if (!may(whose)) continue;
        const item = drop(whose, 0);
        const rest = all.get(whose);
        if (rest) {
          all.delete(whose);
          all.set(whose, rest);
        }
        return item;
      }
      return undefined;
    },
    remove(whose, item) {
      const at = all.get(whose)?.indexOf(item) ?? -1;
      return at >= 0 && drop(whose, at) !== undefined;
    },
    busiest() {
      let most: string | undefined;
      for (const [whose, { length }] of all)
        if (most === undefined || length > (all.get(most)?.length ?? 0)) most = whose;
      return most;
    },
    takeNewest: (whose) => drop(whose, -1),
  };
}
