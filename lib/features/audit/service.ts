import { setTimeout as delay } from 'node:timers/promises';
import type { Trace } from '../../http/dispatch.js';
import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { requireLimits } from '../../runtime/limits.js';
import { createListeners } from '../../runtime/listeners.js';
import type { Begun } from './begun-records.js';
import { openAuditLog } from './log.js';
import { createRecordWriter } from './record-fields.js';
import type { AuditFilter, AuditPage, AuditRecord } from './schema.js';

/** What was changed, by whom, and what was refused. */
export interface AuditService extends Trace {
  list(filter: AuditFilter): Promise<AuditPage>;
  /** Told each record as JSON. Returns the function that stops telling. */
  onRecord(listener: (json: string) => void): () => void;
  /** The store for all other rooms: what they write has its record on the disk no later than itself. */
  readonly documents: DocumentStore;
  /** Waits for changes that are under way, up to five seconds: their answer is to come after their record. */
  close(): Promise<void>;
}

export interface AuditOptions {
  /** Records of changes that are kept; the oldest go first. Default: 10,000. */
  readonly changes?: number;
  /** Records of refusals that are kept, apart from the changes. Default: 10,000. */
  readonly refusals?: number;
  /** Told each record at once, whatever becomes of the storage. What it throws is logged. Default: nobody. */
  readonly onRecord?: (record: AuditRecord) => void;
}

const closeMillis = 5000;

export async function createAuditService(deps: {
  readonly documents: DocumentStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly options: AuditOptions | undefined;
}): Promise<AuditService> {
  const { clock, logger, options = {} } = deps;
  const limits = { changes: options.changes ?? 10_000, refusals: options.refusals ?? 10_000 };
  requireLimits('audit', limits);
  const log = await openAuditLog({ documents: deps.documents, logger, limits });
  const listeners = createListeners<[json: string]>((err) =>
    logger.error({ event: 'audit.listener_failed', err }, 'a listener for records of the audit log failed'),
  );
  const writer = createRecordWriter(clock);
  let underWay = 0;
  let allEnded: (() => void) | undefined;
  /** Those under way, whose record goes to the disk with what they write: so both share its time. */
  const begunBy = new Map<string, Begun>();
  return {
    begin(operation) {
      underWay++;
      // Anybody can send what is public (a login), as often as they like: its record is made when its result is known.
      if (operation.listed.route.access === 'public') return;
      try {
        const begun = log.begin(writer.begun(operation));
        if (begun) begunBy.set(operation.requestId, begun);
      } catch (err) {
        logger.error(
          { event: 'audit.record_failed', err, requestId: operation.requestId },
          'an operation could not be noted as it should',
        );
      }
    },

    async end(operation) {
      const { requestId, user } = operation;
      const begun = begunBy.get(requestId);
      begunBy.delete(requestId);
      try {
        const fields = writer.ended(begun?.record ?? writer.begun(operation), operation);
        // What nobody's failed is with the refusals: anybody can send those, as many as they like.
        const who = fields.result === 'done' ? fields.userName : user.userName;
        const series = fields.result === 'refused' || who === '' ? 'refusals' : 'changes';
        const { record, written } = log.append(series, fields, begun);
        listeners.tell(JSON.stringify(record));
        options.onRecord?.(record);
        if (series === 'changes' && fields.result === 'done') await written;
      } catch (err) {
        logger.error(
          { event: 'audit.record_failed', err, requestId },
          'an operation could not be noted as it should',
        );
      } finally {
        if (operation.input && --underWay === 0) allEnded?.();
      }
    },

    async list(filter) {
      const records: AuditRecord[] = [];
      for await (const record of log.read(filter.before)) {
        if (filter.since !== undefined && record.time < filter.since) break;
        if (!fits(record, filter)) continue;
        if (records.length === filter.limit) return { records, next: records.at(-1)?.id };
        records.push(record);
      }
      return { records };
    },

    onRecord: listeners.add,
    documents: log.documents,

    async close() {
      await Promise.race([
        new Promise<void>((resolve) => {
          allEnded = resolve;
          if (underWay === 0) resolve();
        }),
        delay(closeMillis, undefined, { ref: false }),
      ]);
      await log.close();
    },
  };
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
