import { newestWindow, windowsBehind } from '../../format/windows.js';

/** What is known of a logical operator in the list. */
export interface Row {
  readonly name: string;
  readonly className: string;
  readonly containerIds: readonly string[];
  readonly partitions: readonly string[];
  readonly unifiers: readonly string[];
  readonly currentWindowId?: string | undefined;
  readonly failureCount: number;
  readonly latencyMA?: number | undefined;
  readonly cpuPercentageMA?: number | undefined;
  /** State to number of partitions. */
  readonly status: Readonly<Record<string, number>>;
  readonly tuplesEmittedPSMA?: number | undefined;
  readonly tuplesProcessedPSMA?: number | undefined;
}

const byUrgency = ['PENDING_DEPLOY', 'PENDING_UNDEPLOY', 'ACTIVE', 'INACTIVE'];

/** Of all partitions the state that wants most attention; something not known yet comes first. */
export function stateOf(status: Readonly<Record<string, number>>): string {
  const there = Object.keys(status).filter((state) => (status[state] ?? 0) > 0);
  const rank = (state: string) => byUrgency.indexOf(state);
  return there.sort((a, b) => rank(a) - rank(b))[0] ?? 'UNKNOWN';
}

/** The list that was read, then as the topic tells; what it does not name any more stays as it was read. */
export function merged<Operator extends { readonly name: string }>(
  listed: readonly Operator[],
  live: readonly Operator[] | undefined,
): readonly Operator[] {
  if (!live) return listed;
  const names = new Set(live.map(({ name }) => name));
  return [...live, ...listed.filter(({ name }) => !names.has(name))];
}

export function shownRows(rows: readonly Row[], q: string | undefined): readonly Row[] {
  const wanted = q?.toLocaleLowerCase();
  return wanted === undefined
    ? rows
    : rows.filter(({ name, className }) =>
        [name, className].some((text) => text.toLocaleLowerCase().includes(wanted)),
      );
}

/** Windows that each operator is behind the one that is farthest, by name. */
export function lagsOf(rows: readonly Row[], widthMillis: number): ReadonlyMap<string, number | undefined> {
  const newest = newestWindow(rows.map(({ currentWindowId }) => currentWindowId));
  return new Map(
    rows.map(({ name, currentWindowId }) => [name, windowsBehind(currentWindowId, newest, widthMillis)]),
  );
}

export const shortClass = (className: string): string => className.slice(className.lastIndexOf('.') + 1);
