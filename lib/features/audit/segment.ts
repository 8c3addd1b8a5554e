import * as z from 'zod';
import type { DocumentWrite } from '../../interfaces/storage.js';
import { AuditRecord, AuditResult } from './schema.js';

// How records lie in the storage: what goes to the disk at a time is one document. None is ever written again, and it goes when
// nobody needs anything of it.

/** What strangers are refused must not push out what was changed: each has room of its own. */
export type Series = 'changes' | 'refusals';
export const bothSeries: readonly Series[] = ['changes', 'refusals'];

/** What became of a record that was written when its operation began. */
const RecordEnd = z.object({
  /** Of the whole record, in place of that of its beginning. */
  id: z.string(),
  series: z.enum(['changes', 'refusals']),
  /** Where its beginning is. */
  begun: z.object({ segment: z.number(), id: z.string() }),
  time: z.number(),
  result: AuditResult,
  status: z.number(),
  code: z.string().optional(),
});
export type RecordEnd = z.output<typeof RecordEnd>;

export const Segment = z.object({
  changes: z.array(AuditRecord),
  refusals: z.array(AuditRecord),
  begun: z.array(AuditRecord),
  ends: z.array(RecordEnd),
});
export type Segment = z.output<typeof Segment>;

export const endOf = (
  { id, time, result, status, code }: AuditRecord,
  series: Series,
  begun: RecordEnd['begun'],
): RecordEnd => ({ id, series, begun, time, result, status, code });

export const ended = (begun: AuditRecord, { id, time, result, status, code }: RecordEnd): AuditRecord => ({
  ...begun,
  id,
  time,
  result,
  status,
  ...(code === undefined ? {} : { code }),
});

export const auditCollection = 'audit';
export const segmentPrefix = 'segments/';
/** Records of a document: more would hold up the event loop while it is put together, and be lost with it. */
export const maxBatch = 100;

export const segmentKey = (segment: number): string => segmentPrefix + String(segment).padStart(15, '0');

export const segmentNumber = (key: string): number => Number(key.slice(segmentPrefix.length));

export const emptySegment = (): Segment => ({ changes: [], refusals: [], begun: [], ends: [] });

/** Our own making, so it need not be checked again on its way in. */
export const segmentPut = (segment: number, value: Segment): DocumentWrite => ({
  op: 'put',
  collection: auditCollection,
  key: segmentKey(segment),
  value,
});
