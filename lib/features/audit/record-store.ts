import type { DocumentStore } from '../../interfaces/storage.js';
import { setNewest } from '../../runtime/lru.js';
import { type Collection, collection } from '../../storage/collection.js';
import type { Begun } from './begun-records.js';
import { gatherSingleRecords, openedRecords } from './opened-records.js';
import { createRecordIndex, type RecordPlace } from './record-index.js';
import type { AuditRecord } from './schema.js';
import {
  auditCollection,
  emptySegment,
  ended,
  endOf,
  type RecordEnd,
  Segment,
  type Series,
  segmentKey,
  segmentPut,
} from './segment.js';

/** A record on its way to the disk. */
export interface Appending {
  readonly series: Series;
  readonly record: AuditRecord;
  /** What began it and went to the disk, or tried to: its end is enough then. */
  readonly begun?: Begun | undefined;
}

/** Records on the disk, the newest of each series. */
export interface RecordStore {
  /** The highest number when it was opened; 0 when there was none. */
  readonly latest: number;
  /** One document. Resolves its number. */
  putBegun(records: readonly AuditRecord[]): Promise<number>;
  /** One document, with the end of those that are too old for it. Not while another one is being written. */
  append(batch: readonly Appending[]): Promise<void>;
  /** From the newest to the oldest, those before an id. */
  read(before?: string): AsyncIterable<AuditRecord>;
}

export async function openRecordStore(
  documents: DocumentStore,
  limits: Readonly<Record<Series, number>>,
): Promise<RecordStore> {
  const segments = collection(documents, auditCollection, Segment);
  await gatherSingleRecords(documents, segments);
  const opened = await openedRecords(segments);
  const index = createRecordIndex(limits);
  for (const { series, place } of opened.found) {
    if (place.begun) index.beginsIn(place.begun.segment, 1);
    index.add(series, place);
  }
  index.trim();
  let next = 1 + (opened.segments.at(-1) ?? 0);
  /** Their removal is still to be written. */
  let unused = opened.segments.filter((segment) => !index.needs(segment));

  return {
    latest: opened.found.at(-1)?.place.id ?? 0,
    async putBegun(records) {
      const segment = next++;
      await documents.write([segmentPut(segment, { ...emptySegment(), begun: [...records] })]);
      index.beginsIn(segment, records.length);
      return segment;
    },
    async append(batch) {
      const begunIn = await Promise.all(batch.map(({ begun }) => begun?.written));
      const number = next++;
      const segment = emptySegment();
      for (const [i, { series, record, begun }] of batch.entries()) {
        const id = Number(record.id);
        const begunSegment = begunIn[i];
        if (begun === undefined || begunSegment === undefined) {
          segment[series].push(record);
          index.add(series, { id, segment: number });
        } else {
          const at = { segment: begunSegment, id: begun.record.id };
          segment.ends.push(endOf(record, series, at));
          index.add(series, { id, segment: number, begun: at });
        }
      }
      unused = [...unused, ...index.trim()];
      const removed = unused.length;
      await documents.write([
        segmentPut(number, segment),
        ...unused.map((one) => segments.writes.remove(segmentKey(one))),
      ]);
      unused = unused.slice(removed);
    },
    async *read(before) {
      const recordAt = segmentReader(segments);
      for (const place of index.newestFirst(before === undefined ? undefined : Number(before))) {
        const record = await recordAt(place);
        if (record) yield record;
      }
    },
  };
}

/** Of a reader: neighbours are in the same one, and their beginnings mostly in one other. */
const maxSegmentsRead = 8;

/** What a segment holds, by id. */
type Contents = ReadonlyMap<string, AuditRecord | RecordEnd>;

/** What can't be read is left out. */
function segmentReader(
  segments: Collection<Segment>,
): (place: RecordPlace) => Promise<AuditRecord | undefined> {
  const known = new Map<number, Contents>();

  async function contentsOf(number: number): Promise<Contents> {
    const present = known.get(number);
    if (present) return present;
    const kept = await segments.get(segmentKey(number)).catch(() => undefined);
    const { changes = [], refusals = [], begun = [], ends = [] } = kept?.value ?? {};
    const contents = new Map([...changes, ...refusals, ...begun, ...ends].map((one) => [one.id, one]));
    setNewest(known, number, contents, maxSegmentsRead);
    return contents;
  }

  return async ({ id, segment, begun }) => {
    const found = (await contentsOf(segment)).get(String(id));
    if (found === undefined || !('begun' in found)) return found;
    const beginning = begun && (await contentsOf(begun.segment)).get(begun.id);
    return beginning && !('begun' in beginning) ? ended(beginning, found) : undefined;
  };
}
