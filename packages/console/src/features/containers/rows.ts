/** What is known of a container. Numbers of MB, milliseconds and epoch milliseconds; -1: not yet. */
export interface Row {
  readonly id: string;
  readonly host: string;
  readonly state: string;
  readonly jvmName: string;
  readonly containerType: string;
  readonly lastHeartbeat: number;
  readonly startedTime: number;
  readonly finishedTime: number;
  readonly memoryMBAllocated?: number | undefined;
  readonly memoryMBFree?: number | undefined;
  readonly gcCollectionTime?: number | undefined;
  readonly gcCollectionCount?: number | undefined;
  /** Operator id to name. */
  readonly operators: Readonly<Record<string, string>>;
}

export const hasEnded = ({ state }: Pick<Row, 'state'>): boolean => state === 'KILLED';

/** As the components for times take it: nothing where there was none. */
export const known = (time: number): number | undefined => (time > 0 ? time : undefined);

export const usedMemory = ({ memoryMBAllocated = 0, memoryMBFree }: Row): number | undefined =>
  memoryMBAllocated > 0 && memoryMBFree !== undefined
    ? Math.max(0, memoryMBAllocated - memoryMBFree)
    : undefined;

/** Of the time that it has run, what went into collecting garbage; `now` by the gateway's clock. */
export function gcShare(row: Row, now: number): number | undefined {
  const { startedTime, finishedTime, gcCollectionTime } = row;
  const ran = (finishedTime > 0 ? finishedTime : now) - startedTime;
  return startedTime > 0 && ran > 0 && gcCollectionTime !== undefined
    ? Math.min(1, gcCollectionTime / ran)
    : undefined;
}

export const operatorNames = ({ operators }: Row): readonly string[] =>
  [...new Set(Object.values(operators))].sort(byText);

const collator = new Intl.Collator('en', { numeric: true });
const byText = (a: string, b: string): number => collator.compare(a, b);

/**
 * The list that was read, with what the topic says since, in the order in which they are shown: what runs by id, then what has ended,
 * the last first. `missing` were running, and the topic does not know them any more: the list has to be read again.
 */
export function merged(
  listed: readonly Row[],
  live: readonly Row[] | undefined,
): { readonly rows: readonly Row[]; readonly missing: readonly string[] } {
  const fresh = new Map(live?.map((row) => [row.id, row]));
  const ids = new Set([...listed.map(({ id }) => id), ...fresh.keys()]);
  const before = new Map(listed.map((row) => [row.id, row]));
  const rows = [...ids].flatMap((id) => latest(before.get(id), fresh.get(id)) ?? []);
  const missing = live ? listed.filter((row) => !hasEnded(row) && !fresh.has(row.id)) : [];
  return { rows: rows.sort(inOrder), missing: missing.map(({ id }) => id) };
}

/** What has ended once does not run again: a frame may be older than the list. */
const latest = (before: Row | undefined, now: Row | undefined): Row | undefined =>
  now === undefined || (before && hasEnded(before)) ? before : now;

function inOrder(a: Row, b: Row): number {
  const ended = Number(hasEnded(a)) - Number(hasEnded(b));
  if (ended !== 0) return ended;
  return hasEnded(a) ? b.finishedTime - a.finishedTime || byText(b.id, a.id) : byText(a.id, b.id);
}
