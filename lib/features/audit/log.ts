import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { type Begun, createBegunRecords } from './begun-records.js';
import type { RecordFields } from './record-fields.js';
import { createRecordQueue } from './record-queue.js';
import { type Appending, openRecordStore, type RecordStore } from './record-store.js';
import type { AuditRecord } from './schema.js';
import { maxBatch, type Series } from './segment.js';

/** What was done and what was refused, the newest records of each. */
export interface AuditLog {
  /**
   * Notes what is about to be changed. It is read only when the process ends before it is appended: the next one finds it among
   * the changes. It goes to the disk with the next write of `documents`, or after a moment; never, when it is appended
   * before. `undefined` when too much waits for the disk.
   */
  begin(fields: RecordFields): Begun | undefined;
  /**
   * Written at once, or a moment later with others when it is a refusal or the end of what is on the disk since it began.
   * `written` resolves when something of it is on the disk, or could not be written, which is logged.
   */
  append(series: Series, fields: RecordFields, begun?: Begun): Appended;
  /** The store for everybody else: what has begun is written before what they write, and with it. */
  readonly documents: DocumentStore;
  /** Reads from the newest to the oldest, those before an id. */
  read(before?: string): AsyncIterable<AuditRecord>;
  /** What waits is written. */
  close(): Promise<void>;
}

interface Appended {
  readonly record: AuditRecord;
  readonly written: Promise<unknown>;
}

/** Records that wait for the disk; more refusals are counted, not kept. */
const maxWaiting = 5000;

export async function openAuditLog(deps: {
  readonly documents: DocumentStore;
  readonly logger: Logger;
  readonly limits: Readonly<Record<Series, number>>;
}): Promise<AuditLog> {
  const { documents, logger, limits } = deps;
  const store = await openRecordStore(documents, limits);
  const held = createBegunRecords({ put: store.putBegun, maxBatch, logger });
  const queue = createRecordQueue({ write: writing(store, logger), maxBatch, maxWaiting });
  let next = 1 + store.latest;
  let isClosed = false;

  return {
    begin(fields) {
      if (isClosed || held.count >= maxWaiting) return undefined;
      const begun: Begun = { record: { id: String(next++), ...fields } };
      held.hold(begun);
      return begun;
    },

    append(series, fields, begun) {
      const record: AuditRecord = { ...fields, id: String(next++) };
      // What is still held has changed nothing that is stored here, and need not be written twice.
      if (begun) held.release(begun);
      const since = begun?.written;
      if (since === undefined) return { record, written: queue.add({ series, record }) };
      queue.addEnd({ series, record, begun });
      return { record, written: since };
    },

    documents: {
      get: (collection, key) => documents.get(collection, key),
      entries: (collection, options) => documents.entries(collection, options),
      write(batch) {
        held.write();
        return documents.write(batch);
      },
    },

    async *read(before) {
      await queue.flush();
      yield* store.read(before);
    },

    async close() {
      isClosed = true;
      await held.close();
      await queue.close();
    },
  };
}

/** Writes a batch, and logs what of it, or before it, was lost. */
const writing =
  (store: RecordStore, logger: Logger) =>
  async (batch: readonly Appending[], dropped: number): Promise<void> => {
    try {
      await store.append(batch);
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
  };
