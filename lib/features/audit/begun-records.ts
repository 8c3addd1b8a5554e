import type { Logger } from '../../interfaces/logger.js';
import type { AuditRecord } from './schema.js';

/** The record of an operation that is under way. */
export interface Begun {
  readonly record: AuditRecord;
  /** Absent while it waits for the first write of what it begins. Resolves where it is on the disk; `undefined`: nowhere. */
  written?: Promise<number | undefined>;
}

/** Records of what is under way, until they go to the disk with what they begin. */
interface BegunRecords {
  /** Records that wait, and those that are on their way to the disk. */
  readonly count: number;
  hold(begun: Begun): void;
  /** It is not written any more, unless it is on its way. */
  release(begun: Begun): void;
  /** In the turn of the write that they go with, and before it: so the disk takes them no later. */
  write(): void;
  /** Resolves when all are on the disk, or could not be written. */
  close(): Promise<void>;
}

/** What has begun waits so long for a write to go with: one sync of the disk is enough for both. */
const holdMillis = 10;

export function createBegunRecords(deps: {
  /** Resolves where they are. */
  readonly put: (records: readonly AuditRecord[]) => Promise<number>;
  readonly maxBatch: number;
  readonly logger: Logger;
}): BegunRecords {
  // No `Set`: V8 keeps what was in one that is cleared for as long as the next tables of it live.
  let held: Begun[] = [];
  /** Runs on when all was written before: at many changes a second setting one for each costs more than a turn for nothing. */
  let holding: NodeJS.Timeout | undefined;
  /** Batches that are on their way to the disk. */
  const underWay = new Map<Promise<number | undefined>, readonly Begun[]>();

  function write(): void {
    if (held.length === 0) return;
    const batch = held;
    held = [];
    const written = put(batch).finally(() => underWay.delete(written));
    underWay.set(written, batch);
    for (const begun of batch) begun.written = written;
  }

  function writeHeld(): void {
    holding = undefined;
    write();
  }

  async function put(batch: readonly Begun[]): Promise<number | undefined> {
    try {
      return await deps.put(batch.map(({ record }) => record));
    } catch (err) {
      deps.logger.error(
        { event: 'audit.write_failed', err, records: batch.length },
        'records of the audit log could not be written',
      );
      return undefined;
    }
  }

  return {
    get count() {
      return [...underWay.values()].reduce((sum, { length }) => sum + length, held.length);
    },
    hold(begun) {
      held.push(begun);
      if (held.length >= deps.maxBatch) write();
      else holding ??= setTimeout(writeHeld, holdMillis);
    },
    release(begun) {
      if (begun.written === undefined) held = held.filter((one) => one !== begun);
    },
    write,
    async close() {
      clearTimeout(holding);
      write();
      await Promise.all(underWay.keys());
    },
  };
}
