import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore, DocumentWrite } from '../../interfaces/storage.js';
import { mapLimited } from '../../runtime/map-limited.js';
import { collection } from '../../storage/collection.js';
import { AuditRecord } from './schema.js';

/** What strangers are refused must not push out what was changed: each has room of its own. */
type Series = 'changes' | 'refusals';
const bothSeries: readonly Series[] = ['changes', 'refusals'];
/** What is under way. */
const beginnings = 'begun';

/** Records on disk, the newest of each series. */
interface AuditLog {
  /**
   * What is about to be changed. It is read only when the process ends before it is appended: the next one finds it among
   * the changes. It goes to the disk with the next write of `documents`, or after a moment; never, when it is appended
   * before. `undefined` when too much waits for the disk.
   */
  begin(fields: Fields): Begun | undefined;
  /**
   * Written at once, or a moment later with others when it is a refusal or takes the place of what is on the disk since it
   * began. `written` resolves when something of it is on the disk, or could not be written, which is logged.
   */
  append(series: Series, fields: Fields, begun?: Begun): Appended;
  /** The store for everybody else: what has begun is written before what they write, and with it. */
  readonly documents: DocumentStore;
  /** From the newest to the oldest, those before an id. */
  read(before?: string): AsyncIterable<AuditRecord>;
  /** What waits is written. */
  close(): Promise<void>;
}

type Fields = Omit<AuditRecord, 'id'>;

interface Appended {
  readonly record: AuditRecord;
  readonly written: Promise<void>;
}

export interface Begun {
  readonly record: AuditRecord;
  /** Absent: it waits for the first write of what it begins. */
  written?: Promise<void>;
}

interface Waiting {
  readonly series: Series;
  readonly record: AuditRecord;
  /** The id of what began it. */
  readonly begun?: string | undefined;
  readonly done: () => void;
}

const name = 'audit';
/** More would hold up the event loop while the batch is put together. */
const maxBatch = 100;
/** Records that wait for the disk; more refusals are counted, not kept. */
const maxWaiting = 5000;
const gatherMillis = 200;
/** What has begun waits so long for a write to go with: one sync of the disk is enough for both. */
const holdMillis = 10;
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
  /** An earlier process ended before these did. */
  const interrupted = await kept.list({ prefix: `${beginnings}/` });
  for (let at = 0; at < interrupted.length; at += maxBatch) {
    const part = interrupted.slice(at, at + maxBatch);
    await documents.write(
      part.flatMap(({ key, value }) => [putOf('changes', value), kept.writes.remove(key)]),
    );
  }
  numbers.changes.push(...interrupted.map(({ value }) => Number(value.id)));
  numbers.changes.sort((one, other) => one - other);
  let next = 1 + Math.max(0, ...bothSeries.map((series) => numbers[series].at(-1) ?? 0));
  let waiting: Waiting[] = [];
  /** Beginnings that wait for a write to go with, and batches of them that are on their way to the disk. */
  const held = new Set<Begun>();
  let holding: NodeJS.Timeout | undefined;
  const underWay = new Set<Promise<void>>();
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
    try {
      await documents.write([...puts, ...removals]);
      for (const series of bothSeries) numbers[series] = after[series];
    } catch (err) {
      logger.error(
        { event: 'audit.write_failed', err, records: batch.length },
        'records of the audit log could not be written',
      );
    }
    if (dropped > 0)
      logger.warn(
        { event: 'audit.refusals_dropped', dropped },
        'refusals came faster than the audit log could keep them',
      );
    dropped = 0;
  }

  /** In the turn of the write that they go with, and before it: so the disk takes them no later. */
  function writeBeginnings(): void {
    clearTimeout(holding);
    holding = undefined;
    if (held.size === 0) return;
    const batch = [...held];
    held.clear();
    const written = putBeginnings(batch).finally(() => underWay.delete(written));
    underWay.add(written);
    for (const begun of batch) begun.written = written;
  }

  async function putBeginnings(batch: readonly Begun[]): Promise<void> {
    try {
      await documents.write(batch.map(({ record }) => putOf(beginnings, record)));
    } catch (err) {
      logger.error(
        { event: 'audit.write_failed', err, records: batch.length },
        'records of the audit log could not be written',
      );
    }
  }

  return {
    begin(fields) {
      if (isClosed || underWay.size + held.size >= maxWaiting) return undefined;
      const begun: Begun = { record: { id: String(next++), ...fields } };
      held.add(begun);
      if (held.size >= maxBatch) writeBeginnings();
      else holding ??= setTimeout(writeBeginnings, holdMillis);
      return begun;
    },

    append(series, fields, begun) {
      const record: AuditRecord = { ...fields, id: String(next++) };
      // What is still held has changed nothing that is stored here, and need not be written twice.
      if (begun) held.delete(begun);
      const since = begun?.written;
      if (!since && series === 'refusals' && waiting.length >= maxWaiting) {
        dropped++;
        return { record, written: Promise.resolve() };
      }
      const written = new Promise<void>((done) =>
        waiting.push({ series, record, begun: since && begun?.record.id, done }),
      );
      const isUrgent = series === 'changes' && !since;
      if (isUrgent || isClosed || waiting.length >= maxBatch) void writeSoon();
      else timer ??= setTimeout(() => void writeSoon(), gatherMillis).unref();
      return { record, written: since ?? written };
    },

    documents: {
      get: (collection, key) => documents.get(collection, key),
      entries: (collection, options) => documents.entries(collection, options),
      write(batch) {
        writeBeginnings();
        return documents.write(batch);
      },
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
          kept.get(keyOf(series, String(number))).catch(() => undefined),
        );
        for (const record of found) if (record) yield record.value;
      }
    },

    async close() {
      isClosed = true;
      writeBeginnings();
      await Promise.all(underWay);
      await writeSoon();
      // Some may have come while the last batch was under way.
      while (waiting.length > 0) await writeSoon();
    },
  };
}

/** Our own making, so it need not be checked again on its way in. */
const putOf = (series: Series | typeof beginnings, record: AuditRecord): DocumentWrite => ({
  op: 'put',
  collection: name,
  key: keyOf(series, record.id),
  value: record,
});

const keyOf = (series: Series | typeof beginnings, id: string): string => `${series}/${id.padStart(15, '0')}`;
