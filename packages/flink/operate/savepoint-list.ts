import type { Savepoint } from 'headgate/driver-kit';
import type { FlinkCheckpoint } from '../rest/history-shapes.js';
import { present } from '../rest/values.js';
import type { KeptSavepoint } from './records.js';

/** A savepoint with how Flink's history tells of it, where it does. */
export interface ListedSavepoint {
  readonly savepoint: Savepoint;
  /** In `SavepointBook.deletedOf`, once it is deleted. */
  readonly mark: string | undefined;
}

/** What was ordered here and what Flink tells of, each once, in the order of their start. */
export function listedSavepoints(
  kept: readonly KeptSavepoint[],
  history: readonly FlinkCheckpoint[],
  deleted: ReadonlySet<string>,
): ListedSavepoint[] {
  const told = history.filter((one) => one.is_savepoint && !deleted.has(markOf(one)));
  const pairs = pairsOf(kept, told);
  const paired = new Set(pairs.values());
  return [
    ...kept.map((one) => ({
      savepoint: savepointOf(one, pairs.get(one)),
      mark: markOfPair(pairs.get(one), one.location),
    })),
    ...told
      .filter((one) => !paired.has(one))
      .map((one) => ({ savepoint: foreignSavepoint(one), mark: markOf(one) })),
  ].toSorted((a, b) => a.savepoint.triggerTime - b.savepoint.triggerTime);
}

const markOf = ({ external_path: path, id }: FlinkCheckpoint): string => path ?? String(id);
const markOfPair = (told: FlinkCheckpoint | undefined, location: string | undefined): string | undefined =>
  told ? markOf(told) : location;

/**
 * Flink's history does not say which order a savepoint is of. One that is there has the same location; of the others it is the first that
 * began after the order, and before the next one.
 */
function pairsOf(
  kept: readonly KeptSavepoint[],
  told: readonly FlinkCheckpoint[],
): ReadonlyMap<KeptSavepoint, FlinkCheckpoint> {
  const pairs = new Map<KeptSavepoint, FlinkCheckpoint>();
  const free = new Set(told.toSorted((a, b) => a.id - b.id));
  const pair = (one: KeptSavepoint, found: FlinkCheckpoint | undefined) => {
    if (!found) return;
    pairs.set(one, found);
    free.delete(found);
  };
  for (const one of kept)
    if (one.location !== undefined)
      pair(
        one,
        [...free].find(({ external_path: path }) => path === one.location),
      );
  for (const [index, one] of kept.entries()) {
    if (one.location !== undefined || one.lost !== undefined) continue;
    const before = kept[index + 1]?.after ?? Number.POSITIVE_INFINITY;
    const first = [...free].find(({ id }) => id > one.after && id <= before);
    // One that failed may have left nothing there.
    if (one.failure === undefined || first?.status === 'FAILED') pair(one, first);
  }
  return pairs;
}

function savepointOf(one: KeptSavepoint, told: FlinkCheckpoint | undefined): Savepoint {
  const isThere = one.location !== undefined;
  return {
    id: one.trigger,
    state: isThere ? 'COMPLETED' : stateOf(one),
    triggerTime: told?.trigger_timestamp ?? one.orderedAt,
    isOfStop: one.isOfStop,
    ...present({
      endTime: told ? (endOf(told) ?? one.endedAt) : one.endedAt,
      location: one.location,
      stateSize: isThere ? told?.state_size : undefined,
      formatType: one.formatType ?? formatOf(told),
      targetDirectory: one.targetDirectory,
      orderedBy: one.orderedBy,
      checkpointId: told && String(told.id),
      failure: one.failure ?? one.lost,
    }),
  };
}

function stateOf({ failure, lost }: KeptSavepoint): Savepoint['state'] {
  if (failure !== undefined) return 'FAILED';
  return lost === undefined ? 'IN_PROGRESS' : 'UNKNOWN';
}

function foreignSavepoint(told: FlinkCheckpoint): Savepoint {
  const isThere = told.status === 'COMPLETED';
  return {
    id: String(told.id),
    state: told.status === 'COMPLETED' || told.status === 'FAILED' ? told.status : 'IN_PROGRESS',
    triggerTime: told.trigger_timestamp ?? 0,
    isOfStop: told.checkpoint_type === 'SYNC_SAVEPOINT',
    ...present({
      endTime: endOf(told),
      location: told.external_path,
      stateSize: isThere ? told.state_size : undefined,
      formatType: formatOf(told),
      checkpointId: String(told.id),
      failure: told.failure_message ?? undefined,
    }),
  };
}

const endOf = ({ status, latest_ack_timestamp, failure_timestamp }: FlinkCheckpoint): number | undefined =>
  status === 'COMPLETED' ? latest_ack_timestamp : failure_timestamp;

function formatOf(told: FlinkCheckpoint | undefined): Savepoint['formatType'] {
  const format = told?.savepointFormat;
  return format === 'CANONICAL' || format === 'NATIVE' ? format : undefined;
}
