import type { AuditFilter, AuditPage, AuditRecord } from './schema.js';

/** The first page of what fits, of records from the newest to the oldest. No more are read than it takes. */
export async function pageOf(records: AsyncIterable<AuditRecord>, filter: AuditFilter): Promise<AuditPage> {
  const found: AuditRecord[] = [];
  for await (const record of records) {
    if (filter.since !== undefined && record.time < filter.since) break;
    if (!fits(record, filter)) continue;
    if (found.length === filter.limit) return { records: found, next: found.at(-1)?.id };
    found.push(record);
  }
  return { records: found };
}

function fits(record: AuditRecord, filter: AuditFilter): boolean {
  const { user, operation, target, result, requestId, until } = filter;
  return (
    (user === undefined || record.userName === user) &&
    (operation === undefined || record.operation === operation) &&
    (target === undefined || record.target.startsWith(target)) &&
    (result === undefined || record.result === result) &&
    (requestId === undefined || record.requestId === requestId) &&
    (until === undefined || record.time <= until)
  );
}
