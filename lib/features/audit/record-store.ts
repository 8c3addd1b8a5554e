import type { DocumentStore, DocumentWrite } from '../../interfaces/storage.js';
import { mapLimited } from '../../runtime/map-limited.js';
import { type Collection, collection } from '../../storage/collection.js';
import { AuditRecord } from './schema.js';

/** What strangers are refused must not push out what was changed: each has room of its own. */
export type Series = 'changes' | 'refusals';
const bothSeries: readonly Series[] = ['changes', 'refusals'];
/** The records of what is under way. */
const beginnings = 'begun';

type Numbers = Readonly<Record<Series, readonly number[]>>;

/** A record on its way to the disk. */
export interface Appending {
  readonly series: Series;
  readonly record: AuditRecord;
  /** The id of what began it, which it takes the place of. */
  readonly begun?: string | undefined;
}

/** Records on the disk, the newest of each series. */
export interface RecordStore {
  /** The highest number when it was opened; 0 when there was none. */
  readonly latest: number;
  putBegun(records: readonly AuditRecord[]): Promise<void>;
  /** One batch, with the end of what is too old for it. Not while another one is being written. */
  append(batch: readonly Appending[]): Promise<void>;
  /** From the newest to the oldest, those before an id. */
  read(before?: string): AsyncIterable<AuditRecord>;
}

const name = 'audit';
/** More would hold up the event loop while the batch is put together. */
export const maxBatch = 100;
const readAtOnce = 50;

export async function openRecordStore(
  documents: DocumentStore,
  limits: Readonly<Record<Series, number>>,
): Promise<RecordStore> {
  const kept = collection(documents, name, AuditRecord);
  let numbers = await openedNumbers(documents, kept);

  return {
    latest: Math.max(0, ...bothSeries.map((series) => numbers[series].at(-1) ?? 0)),
    async putBegun(records) {
      await documents.write(records.map((record) => putOf(beginnings, record)));
    },
    async append(batch) {
      const puts: DocumentWrite[] = [];
      const removals: DocumentWrite[] = [];
      const after: Record<Series, readonly number[]> = { changes: [], refusals: [] };
      for (const { begun } of batch) {
        if (begun !== undefined) removals.push(kept.writes.remove(keyOf(beginnings, begun)));
      }
      for (const series of bothSeries) {
        const records = batch.filter((one) => one.series === series).map(({ record }) => record);
        const added = records.slice(-limits[series]);
        const tooMany = Math.max(0, numbers[series].length + added.length - limits[series]);
        for (const number of numbers[series].slice(0, tooMany)) {
          removals.push(kept.writes.remove(keyOf(series, String(number))));
        }
        puts.push(...added.map((record) => putOf(series, record)));
        after[series] = [...numbers[series].slice(tooMany), ...added.map(({ id }) => Number(id))];
      }
      await documents.write([...puts, ...removals]);
      numbers = after;
    },
    async *read(before) {
      const all = bothSeries
        .flatMap((series) => numbers[series].map((number) => ({ series, number })))
        .filter(({ number }) => before === undefined || number < Number(before))
        .sort((one, other) => other.number - one.number);
      for (let at = 0; at < all.length; at += readAtOnce) {
        const part = all.slice(at, at + readAtOnce);
        const found = await mapLimited(part, readAtOnce, async ({ series, number }) =>
          kept.get(keyOf(series, String(number))).catch(() => undefined),
        );
        for (const record of found) if (record) yield record.value;
      }
    },
  };
}

/** The numbers of the records that are kept, ascending. What an earlier process began and did not end is among the changes. */
async function openedNumbers(documents: DocumentStore, kept: Collection<AuditRecord>): Promise<Numbers> {
  const numbers: Record<Series, number[]> = { changes: [], refusals: [] };
  for (const series of bothSeries) {
    for await (const { key } of kept.entries({ prefix: `${series}/` })) {
      numbers[series].push(Number(key.slice(series.length + 1)));
    }
  }
  const interrupted = await kept.list({ prefix: `${beginnings}/` });
  for (let at = 0; at < interrupted.length; at += maxBatch) {
    const part = interrupted.slice(at, at + maxBatch);
    await documents.write(
      part.flatMap(({ key, value }) => [putOf('changes', value), kept.writes.remove(key)]),
    );
  }
  numbers.changes.push(...interrupted.map(({ value }) => Number(value.id)));
  numbers.changes.sort((one, other) => one - other);
  return numbers;
}

/** Our own making, so it need not be checked again on its way in. */
const putOf = (series: Series | typeof beginnings, record: AuditRecord): DocumentWrite => ({
  op: 'put',
  collection: name,
  key: keyOf(series, record.id),
  value: record,
});

const keyOf = (series: Series | typeof beginnings, id: string): string => `${series}/${id.padStart(15, '0')}`;
