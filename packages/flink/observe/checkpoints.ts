import type { CheckpointHistory, CheckpointReader } from 'headgate/driver-kit';
import { checkpointsOf } from '../jobs/checkpoints.js';
import type { Checkpoints, FlinkCheckpoint } from '../rest/history-shapes.js';
import { reasonOf } from '../rest/reasons.js';
import type { Resources } from '../rest/resources.js';
import { present } from '../rest/values.js';

type Told = CheckpointHistory['history'][number];

export const checkpointReader = (resources: Resources, jobId: string): CheckpointReader => ({
  read: async () => historyOf(await checkpointsOf(resources, jobId)),
});

/** Milliseconds since the state that a job would go on from; since its start while all of its checkpoints have failed. */
export function checkpointAgeOf(
  { counts, latest }: Checkpoints,
  { startedAt, now }: { readonly startedAt: number | undefined; readonly now: number },
): number | undefined {
  if (!counts || counts.total === 0) return undefined;
  const { completed, savepoint, restored } = latest ?? {};
  const times = [
    startedAt,
    completed?.trigger_timestamp,
    savepoint?.trigger_timestamp,
    restored?.restore_timestamp,
  ].filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.max(0, now - Math.max(...times));
}

function historyOf({ counts, latest, history }: Checkpoints): CheckpointHistory {
  const { restored } = latest ?? {};
  return {
    ...(counts
      ? {
          counts: {
            total: counts.total,
            inProgress: counts.in_progress,
            completed: counts.completed,
            failed: counts.failed,
            restored: counts.restored,
          },
        }
      : {}),
    latest: present({
      completed: latest?.completed ? told(latest.completed) : undefined,
      failed: latest?.failed ? told(latest.failed) : undefined,
      savepoint: latest?.savepoint ? told(latest.savepoint) : undefined,
      restored: restored
        ? {
            id: String(restored.id),
            isSavepoint: restored.is_savepoint,
            ...present({ restoreTime: restored.restore_timestamp, externalPath: restored.external_path }),
          }
        : undefined,
    }),
    history: history.map(told),
  };
}

const stateOf = (status: string): Told['state'] =>
  status === 'COMPLETED' || status === 'FAILED' ? status : 'IN_PROGRESS';

function told(checkpoint: FlinkCheckpoint): Told {
  return {
    id: String(checkpoint.id),
    state: stateOf(checkpoint.status),
    isSavepoint: checkpoint.is_savepoint,
    ...present({
      triggerTime: checkpoint.trigger_timestamp,
      latestAckTime: checkpoint.latest_ack_timestamp,
      duration: checkpoint.end_to_end_duration,
      stateSize: checkpoint.state_size,
      checkpointedSize: checkpoint.checkpointed_size,
      processedData: checkpoint.processed_data,
      persistedData: checkpoint.persisted_data,
      externalPath: checkpoint.external_path,
      isDiscarded: checkpoint.discarded ?? undefined,
      failureTime: checkpoint.failure_timestamp,
      failureMessage: reasonOf([checkpoint.failure_message ?? '']),
    }),
  };
}
