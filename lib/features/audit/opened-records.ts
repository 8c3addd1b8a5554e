import type { DocumentStore } from '../../interfaces/storage.js';
import { type Collection, collection } from '../../storage/collection.js';
import type { RecordPlace } from './record-index.js';
import { AuditRecord } from './schema.js';
import {
  auditCollection,
  bothSeries,
  emptySegment,
  maxBatch,
  type Segment,
  type Series,
  segmentNumber,
  segmentPrefix,
  segmentPut,
} from './segment.js';

/** A record that an earlier process has kept. */
interface Found {
  readonly series: Series;
  readonly place: RecordPlace;
}

/** All that is kept, in the order of their ids; and the numbers of all segments, ascending. */
interface OpenedRecords {
  readonly found: readonly Found[];
  readonly segments: readonly number[];
}

/** What an earlier process began and did not end is among the changes. */
export async function openedRecords(segments: Collection<Segment>): Promise<OpenedRecords> {
  const found: Found[] = [];
  const begunIn = new Map<string, number>();
  const numbers: number[] = [];
  for await (const { key, value } of segments.entries({ prefix: segmentPrefix })) {
    const segment = segmentNumber(key);
    numbers.push(segment);
    for (const series of bothSeries) {
      for (const { id } of value[series]) found.push({ series, place: { id: Number(id), segment } });
    }
    for (const { id } of value.begun) begunIn.set(id, segment);
    for (const { id, series, begun } of value.ends) {
      found.push({ series, place: { id: Number(id), segment, begun } });
      begunIn.delete(begun.id);
    }
  }
  for (const [id, segment] of begunIn) found.push({ series: 'changes', place: { id: Number(id), segment } });
  return { found: found.sort((one, other) => one.place.id - other.place.id), segments: numbers };
}

/** Puts records that lie in documents of their own, as they once did, into segments. */
export async function gatherSingleRecords(
  documents: DocumentStore,
  segments: Collection<Segment>,
): Promise<void> {
  const single = collection(documents, auditCollection, AuditRecord);
  let number: number | undefined;
  for (const part of ['changes', 'refusals', 'begun'] as const) {
    const kept = await single.list({ prefix: `${part}/` });
    for (let at = 0; at < kept.length; at += maxBatch) {
      number = 1 + (number ?? (await lastSegment(segments)));
      const records = kept.slice(at, at + maxBatch);
      await documents.write([
        segmentPut(number, { ...emptySegment(), [part]: records.map(({ value }) => value) }),
        ...records.map(({ key }) => single.writes.remove(key)),
      ]);
    }
  }
}

async function lastSegment(segments: Collection<Segment>): Promise<number> {
  let last = 0;
  for await (const { key } of segments.entries({ prefix: segmentPrefix })) last = segmentNumber(key);
  return last;
}
