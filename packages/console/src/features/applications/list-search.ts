export type Column = 'name' | 'user' | 'state' | 'started';
export type Sorting = Column | `-${Column}`;

/** What the address of the list says: what is shown, and in which order. */
export interface ListSearch {
  readonly state?: Group;
  readonly q?: string;
  readonly sort?: Sorting;
}

export const groups = ['running', 'waiting', 'failed', 'killed', 'ended'] as const;
export type Group = (typeof groups)[number];

const sortings: readonly string[] = [
  'name',
  'user',
  'state',
  'started',
  '-name',
  '-user',
  '-state',
  '-started',
];

const isGroup = (text: unknown): text is Group => groups.some((group) => group === text);
const isSorting = (text: unknown): text is Sorting => typeof text === 'string' && sortings.includes(text);

/** What does not fit is left out: an old link still shows the list. */
export function readListSearch(search: Record<string, unknown>): ListSearch {
  const { state, q, sort } = search;
  return {
    ...(isGroup(state) ? { state } : {}),
    ...(typeof q === 'string' && q !== '' ? { q } : typeof q === 'number' ? { q: String(q) } : {}),
    ...(isSorting(sort) ? { sort } : {}),
  };
}
