import { setTimeout as delay } from 'node:timers/promises';
import type { BegunOperation, OperationOutcome, Trace } from '../../http/trace.js';
import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import type { Begun } from './begun-records.js';
import type { AuditLog } from './log.js';
import { createRecordWriter, type RecordFields } from './record-fields.js';
import type { AuditRecord } from './schema.js';
import type { Series } from './segment.js';

/** Makes a record of each operation: begun while it is under way, and ended with its result. */
interface AuditTrace extends Trace {
  /** Resolves when nothing is under way, or after so many milliseconds. */
  idle(mostMillis: number): Promise<void>;
}

export function createAuditTrace(deps: {
  readonly log: Pick<AuditLog, 'begin' | 'append'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told each record at once. */
  readonly onRecord: (record: AuditRecord) => void;
}): AuditTrace {
  const { log, logger } = deps;
  const writer = createRecordWriter(deps.clock);
  let underWay = 0;
  let allEnded: (() => void) | undefined;

  const logFailure = ({ requestId }: BegunOperation, err: unknown) =>
    logger.error(
      { event: 'audit.record_failed', err, requestId },
      'an operation could not be noted as it should',
    );

  function noteBeginning(operation: BegunOperation): Begun | undefined {
    // Anybody can send what is public (a login), as often as they like: its record is made when its result is known.
    if (operation.listed.route.access === 'public') return undefined;
    try {
      return log.begin(writer.begun(operation));
    } catch (err) {
      logFailure(operation, err);
      return undefined;
    }
  }

  function noteEnd(operation: BegunOperation, outcome: OperationOutcome, begun?: Begun) {
    try {
      const fields = writer.ended(begun?.record ?? writer.begun(operation), outcome);
      const series = seriesOf(fields, operation);
      const { record, written } = log.append(series, fields, begun);
      deps.onRecord(record);
      return series === 'changes' && fields.result === 'done' ? written : undefined;
    } catch (err) {
      logFailure(operation, err);
      return undefined;
    }
  }

  return {
    begin(operation) {
      underWay++;
      const begun = noteBeginning(operation);
      return (outcome) => {
        const written = noteEnd(operation, outcome, begun);
        if (--underWay === 0) allEnded?.();
        return written;
      };
    },

    refuse: noteEnd,

    async idle(mostMillis) {
      const ended = new Promise<void>((resolve) => {
        allEnded = resolve;
        if (underWay === 0) resolve();
      });
      await Promise.race([ended, delay(mostMillis, undefined, { ref: false })]);
    },
  };
}

/** What nobody's failed is with the refusals: anybody can send those, as many as they like. */
function seriesOf({ result, userName }: RecordFields, { user }: BegunOperation): Series {
  const who = result === 'done' ? userName : user.userName;
  return result === 'refused' || who === '' ? 'refusals' : 'changes';
}
