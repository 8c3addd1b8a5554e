export const results = ['done', 'refused', 'failed', 'unknown'] as const;
export type Result = (typeof results)[number];

/** What the address of the log says: which records are shown. */
export interface AuditSearch {
  readonly user?: string;
  readonly operation?: string;
  readonly target?: string;
  readonly result?: Result;
  /** Epoch milliseconds. */
  readonly since?: number;
  readonly until?: number;
}

const isResult = (value: unknown): value is Result => results.some((one) => one === value);

/** Names made of digits come as numbers from an address. */
const text = (value: unknown): string | undefined =>
  typeof value === 'number' ? String(value) : typeof value === 'string' && value !== '' ? value : undefined;
const moment = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;

/** What does not fit is left out: an old link still shows the log. */
export function readAuditSearch(search: Record<string, unknown>): AuditSearch {
  return defined({
    user: text(search['user']),
    operation: text(search['operation']),
    target: text(search['target']),
    result: isResult(search['result']) ? search['result'] : undefined,
    since: moment(search['since']),
    until: moment(search['until']),
  });
}

/** Without what is not there: an address has no key without a value. */
export const defined = (
  search: {
    [Key in keyof AuditSearch]: AuditSearch[Key] | undefined;
  },
): AuditSearch => Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));

interface Tellable {
  readonly id: string;
  readonly time: number;
  readonly userName: string;
  readonly operation: string;
  readonly target: string;
  readonly result: string;
}

/** Whether a record that came live would be on a page that was asked for with this search, as the gateway counts it. */
export const fits = (record: Tellable, search: AuditSearch): boolean =>
  (search.user === undefined || record.userName === search.user) &&
  (search.operation === undefined || record.operation === search.operation) &&
  (search.target === undefined || record.target.startsWith(search.target)) &&
  (search.result === undefined || record.result === search.result) &&
  (search.since === undefined || record.time >= search.since) &&
  (search.until === undefined || record.time <= search.until);

/** Records of pages and those that came live, each once, the newest first, `most` at most of the live ones. */
export function mergedRecords<R extends { readonly id: string }>(
  read: readonly R[],
  live: readonly R[],
): R[] {
  const byId = new Map([...read, ...live].map((record) => [record.id, record]));
  return [...byId.values()].sort((a, b) => Number(b.id) - Number(a.id));
}
