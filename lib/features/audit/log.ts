import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { type Begun, createBegunRecords } from './begun-records.js';
import type { RecordFields } from './record-fields.js';
import { type Appending, maxBatch, openRecordStore, type Series } from './record-store.js';
import type { AuditRecord } from './schema.js';

/** What was done and what was refused, the newest records of each. */
interface AuditLog {
  /**
   * Notes what is about to be changed. It is read only when the process ends before it is appended: the next one finds it among
   * the changes. It goes to the disk with the next write of `documents`, or after a moment; never, when it is appended
   * before. `undefined` when too much waits for the disk.
   */
  begin(fields: RecordFields): Begun | undefined;
  /**
   * Written at once, or a moment later with others when it is a refusal or takes the place of what is on the disk since it
   * began. `written` resolves when something of it is on the disk, or could not be written, which is logged.
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
  readonly written: Promise<void>;
}

interface Waiting extends Appending {
  readonly done: () => void;
}

/** Records that wait for the disk; more refusals are counted, not kept. */
const maxWaiting = 5000;
const gatherMillis = 200;

export async function openAuditLog(deps: {
  readonly documents: DocumentStore;
  readonly logger: Logger;
  readonly limits: Readonly<Record<Series, number>>;
}): Promise<AuditLog> {
  const { documents, logger, limits } = deps;
  const store = await openRecordStore(documents, limits);
  const held = createBegunRecords({ put: store.putBegun, maxBatch, logger });
  let next = 1 + store.latest;
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
    dropped = 0;
  }

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
        held.write();
        return documents.write(batch);
      },
    },

    async *read(before) {
      await writeSoon();
      yield* store.read(before);
    },

    async close() {
      isClosed = true;
      await held.close();
      await writeSoon();
      // Some may have come while the last batch was under way.
      while (waiting.length > 0) await writeSoon();
    },
  };
}
