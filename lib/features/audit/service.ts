import type { Trace } from '../../http/trace.js';
import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { createListeners } from '../../runtime/listeners.js';
import { openAuditLog } from './log.js';
import type { AuditOptions } from './options.js';
import { pageOf } from './page.js';
import type { AuditFilter, AuditPage, AuditRecord } from './schema.js';
import { createAuditTrace } from './trace.js';

/** What was changed, by whom, and what was refused. */
export interface AuditService extends Trace {
  list(filter: AuditFilter): Promise<AuditPage>;
  /** Returns the function that stops telling. */
  onRecord(listener: (record: AuditRecord) => void): () => void;
  /** The store for all other rooms: what they write has its record on the disk no later than itself. */
  readonly documents: DocumentStore;
  /** Waits for changes that are under way, up to five seconds: their answer is to come after their record. */
  close(): Promise<void>;
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
  const log = await openAuditLog({ documents: deps.documents, logger, limits });
  const listeners = createListeners<[record: AuditRecord]>((err) =>
    logger.error({ event: 'audit.listener_failed', err }, 'a listener for records of the audit log failed'),
  );
  const { begin, refuse, idle } = createAuditTrace({
    log,
    clock,
    logger,
    onRecord(record) {
      listeners.tell(record);
      options.onRecord?.(record);
    },
  });

  return {
    begin,
    refuse,
    list: (filter) => pageOf(log.read(filter.before), filter),
    onRecord: listeners.add,
    documents: log.documents,
    async close() {
      await idle(closeMillis);
      await log.close();
    },
  };
}
