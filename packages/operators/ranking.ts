interface Ranked {
  readonly key: string;
  readonly count: number;
}

/** The highest first; equal ones in the order of their keys, so that the same input gives the same ranking. */
const inOrder = (a: Ranked, b: Ranked) => b.count - a.count || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

export const topOf = (entries: Iterable<Ranked>, length: number): Ranked[] =>
  [...entries].sort(inOrder).slice(0, length);
