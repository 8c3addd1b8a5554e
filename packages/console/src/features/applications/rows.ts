import { isOverIn, kindOf } from '../../shell/states.js';
import type { Column, Group, ListSearch, Sorting } from './list-search.js';

/** What is known of an application in the list. */
export interface Row {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  readonly state: string;
  readonly startedTime: number;
  readonly finishedTime: number;
  readonly diagnostics: string;
  readonly runningContainers: number;
  readonly canWrite?: boolean;
}

/** Whatever else there is has not begun yet. */
export function groupOf(state: string): Group {
  const kind = kindOf(state);
  return kind === 'warning' || kind === 'unknown' ? 'waiting' : kind;
}

/** How many there are of each group. */
export function countsOf(rows: readonly Row[]): Readonly<Record<Group, number>> {
  const counts = { running: 0, waiting: 0, failed: 0, killed: 0, ended: 0 };
  for (const { state } of rows) counts[groupOf(state)]++;
  return counts;
}

/**
 * The list that was read, with what the topic says since: it names those that have not ended. What it does not know any more keeps
 * its last state until the list is read again (`missing`): whoever leaves is asked for, and never dropped or left running.
 */
export function merged(
  listed: readonly Row[],
  live: readonly Row[] | undefined,
): { readonly rows: readonly Row[]; readonly missing: readonly string[] } {
  if (live === undefined) return { rows: listed, missing: [] };
  const fresh = new Map(live.map((row) => [row.id, row]));
  const rows = listed.map((row) => {
    const now = fresh.get(row.id);
    fresh.delete(row.id);
    return now === undefined ? row : isSame(row, now) ? row : { ...row, ...now };
  });
  const ids = new Set(live.map(({ id }) => id));
  const missing = listed.filter(({ id, state }) => !isOverIn(state) && !ids.has(id)).map(({ id }) => id);
  return { rows: [...fresh.values(), ...rows], missing };
}

const isSame = (before: Row, now: Row): boolean =>
  before.state === now.state &&
  before.runningContainers === now.runningContainers &&
  before.startedTime === now.startedTime &&
  before.diagnostics === now.diagnostics;

/** What has failed first, then what runs, then what waits. */
const ranks: Readonly<Record<Group, number>> = { failed: 0, running: 1, waiting: 2, killed: 3, ended: 4 };

const comparisons: Readonly<Record<Column, (a: Row, b: Row) => number>> = {
  name: (a, b) => byText(a.name, b.name),
  user: (a, b) => byText(a.user, b.user),
  state: (a, b) => ranks[groupOf(a.state)] - ranks[groupOf(b.state)],
  started: (a, b) => a.startedTime - b.startedTime,
};

const collator = new Intl.Collator('en', { numeric: true });
const byText = (a: string, b: string): number => collator.compare(a, b);

/** By default: failed ones first, within each state the newest first. */
export function shownRows(rows: readonly Row[], { state, q, sort }: ListSearch): Row[] {
  const wanted = q?.toLocaleLowerCase();
  const fits = (row: Row) =>
    (state === undefined || groupOf(row.state) === state) &&
    (wanted === undefined ||
      [row.name, row.user, row.id].some((text) => text.toLocaleLowerCase().includes(wanted)));
  return rows.filter(fits).sort(comparisonOf(sort));
}

function comparisonOf(sort: Sorting | undefined): (a: Row, b: Row) => number {
  const newestFirst = (a: Row, b: Row) => b.startedTime - a.startedTime || byText(b.id, a.id);
  if (sort === undefined) return (a, b) => comparisons.state(a, b) || newestFirst(a, b);
  const isDown = sort.startsWith('-');
  const compare = comparisons[sort.replace('-', '') as Column];
  return (a, b) => (isDown ? compare(b, a) : compare(a, b)) || newestFirst(a, b);
}

/** A column is sorted upwards, then downwards, then not. */
export const nextSorting = (column: Column, now: Sorting | undefined): Sorting | undefined =>
  now === column ? `-${column}` : now === `-${column}` ? undefined : column;

/** Rows in the order in which they were: while somebody points at one, none may jump. New ones come last. */
export function inOrderOf(before: readonly string[], rows: readonly Row[]): Row[] {
  const places = new Map(before.map((id, place) => [id, place]));
  return [...rows].sort((a, b) => (places.get(a.id) ?? Infinity) - (places.get(b.id) ?? Infinity));
}

/** The first line of what an application died of. */
export const causeOf = ({ state, diagnostics }: Row): string | undefined =>
  groupOf(state) === 'failed' ? diagnostics.trim().split('\n', 1)[0]?.slice(0, 300) || undefined : undefined;
