import { collection } from '../../core/collection.js';
import { mapLimited } from '../../core/map-limited.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore, DocumentWrite } from '../../interfaces/storage.js';
import { AuditRecord } from './schema.js';

/** What strangers are refused must not push out what was changed: each has room of its own. */
export type Series = 'changes' | 'refusals';
const bothSeries: readonly Series[] = ['changes', 'refusals'];

/** Records on disk, the newest of each series. */
export interface AuditLog {
  /** Resolves when it is on the disk, or could not be written, which is logged. Refusals wait a moment for others. */
  append(series: Series, record: Omit<AuditRecord, 'id'>): { record: AuditRecord; written: Promise<void> };
  /** From the newest to the oldest, those before an id. */
  read(before?: string): AsyncIterable<AuditRecord>;
  /** What waits is written. */
  close(): Promise<void>;
}

interface Waiting {
  readonly series: Series;
  readonly record: AuditRecord;
  readonly done: () => void;
}

const name = 'audit';
/** More would hold up the event loop while the batch is put together. */
const maxBatch = 100;
/** Refusals that wait for the disk; more are counted, not kept. */
const maxWaiting = 5000;
const gatherMillis = 200;
const readAtOnce = 50;

export async function openAuditLog(deps: {
  readonly documents: DocumentStore;
  readonly logger: Logger;
  readonly limits: Readonly<Record<Series, number>>;
}): Promise<AuditLog> {
  const { documents, logger, limits } = deps;
  const kept = collection(documents, name, AuditRecord);
  /** Numbers of the records on disk, ascending. */
  const numbers: Record<Series, number[]> = { changes: [], refusals: [] };
  for (const series of bothSeries) {
    for await (const { key } of kept.entries({ prefix: `${series}/` })) {
      numbers[series].push(Number(key.slice(series.length + 1)));
    }
  }
  let next = 1 + Math.max(0, ...bothSeries.map((series) => numbers[series].at(-1) ?? 0));
  let waiting: Waiting[] = [];
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let dropped = 0;
  let isClosed = false;

  function writeSoon(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    running ??= write();
    return running;
  }

  async function write(): Promise<void> {
    // Not at once: others of the same turn may come along.
    await undefined;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch);
      waiting = waiting.slice(maxBatch);
      await writeBatch(batch);
      for (const { done } of batch) done();
    }
    // In the turn that found nothing: who comes later starts anew.
    running = undefined;
  }

  async function writeBatch(batch: readonly Waiting[]): Promise<void> {
    const puts: DocumentWrite[] = [];
    const removals: DocumentWrite[] = [];
    const after: Record<Series, number[]> = { changes: [], refusals: [] };
    for (const series of bothSeries) {
      const records = batch.filter((one) => one.series === series).map(({ record }) => record);
      const added = records.slice(-limits[series]);
      const tooMany = Math.max(0, numbers[series].length + added.length - limits[series]);
      for (const number of numbers[series].slice(0, tooMany)) {
        removals.push(kept.writes.remove(keyOf(series, number)));
      }
      for (const record of added) {
        // Our own making, so it need not be checked again on its way in.
        puts.push({ op: 'put', collection: name, key: keyOf(series, Number(record.id)), value: record });
      }
      after[series] = [...numbers[series].slice(tooMany), ...added.map(({ id }) => Number(id))];
    }
    try {
      await documents.write([...puts, ...removals]);
      for (const series of bothSeries) numbers[series] = after[series];
    } catch (err) {
      logger.error({ err, records: batch.length }, 'records of the audit log could not be written');
    }
    if (dropped > 0) logger.warn({ dropped }, 'refusals came faster than the audit log could keep them');
    dropped = 0;
  }

  return {
    append(series, fields) {
      const record: AuditRecord = { id: String(next++), ...fields };
      if (series === 'refusals' && waiting.length >= maxWaiting) {
        dropped++;
        return { record, written: Promise.resolve() };
      }
      const written = new Promise<void>((done) => waiting.push({ series, record, done }));
      if (series === 'changes' || isClosed || waiting.length >= maxBatch) void writeSoon();
      else timer ??= setTimeout(() => void writeSoon(), gatherMillis).unref();
      return { record, written };
    },

    async *read(before) {
      await writeSoon();
      const all = bothSeries
        .flatMap((series) => numbers[series].map((number) => ({ series, number })))
        .filter(({ number }) => before === undefined || number < Number(before))
        .sort((one, other) => other.number - one.number);
      for (let at = 0; at < all.length; at += readAtOnce) {
        const part = all.slice(at, at + readAtOnce);
        const found = await mapLimited(part, readAtOnce, async ({ series, number }) =>
          kept.get(keyOf(series, number)).catch(() => undefined),
        );
        for (const record of found) if (record) yield record.value;
      }
    },

    async close() {
      isClosed = true;
      await writeSoon();
      // Some may have come while the last batch was under way.
      while (waiting.length > 0) await writeSoon();
    },
  };
}

const keyOf = (series: Series, number: number): string => `${series}/${String(number).padStart(15, '0')}`;
