import { type ApplicationReport, Conflict, undefinedIfUnknown } from 'headgate/driver-kit';
import type { FlinkApplications } from '../jobs/applications.js';
import { hasEnded } from '../jobs/states.js';
import type { JobManagerClient } from '../rest/client.js';
import { CheckpointRetention, LatestCheckpoints, type SavedState } from '../rest/restore-shapes.js';
import type { JobRecords } from './records.js';

/** Where ended jobs left their state. */
export interface RestorePoints {
  /**
   * The place of the newest one. Rejects with `NotFound` for a job that nobody knows, with `Conflict` for one that has not ended
   * (`APPLICATION_RUNNING`), or of which nothing is saved (`NO_SAVED_STATE`).
   */
  of(jobId: string, signal: AbortSignal | undefined): Promise<string>;
  /** Rejects as `of` does for one that has not ended. */
  requireEnded(jobId: string, signal: AbortSignal | undefined): Promise<ApplicationReport>;
}

export function createRestorePoints(deps: {
  readonly client: Pick<JobManagerClient, 'get'>;
  readonly applications: FlinkApplications;
  readonly records: JobRecords;
}): RestorePoints {
  const { client, applications, records } = deps;

  async function requireEnded(jobId: string, signal: AbortSignal | undefined): Promise<ApplicationReport> {
    applications.changed(jobId);
    const { report } = await applications.get(jobId, signal ? { signal } : {});
    if (hasEnded(report)) return report;
    throw new Conflict('APPLICATION_RUNNING', `${jobId} has not ended (${report.state}): shut it down first`);
  }

  /** What the JobManager tells of it, as long as it keeps the job. */
  async function told(jobId: string, state: string, signal: AbortSignal | undefined) {
    const path = `/jobs/${jobId}/checkpoints`;
    const latest = await client.get(path, LatestCheckpoints, signal).catch(undefinedIfUnknown);
    const { savepoint, completed } = latest ?? {};
    if (!completed || state === 'FINISHED') return savepoint;
    const kept = await client.get(`${path}/config`, CheckpointRetention, signal).catch(undefinedIfUnknown);
    const isRetained = kept?.enabled && !(state === 'KILLED' && kept.isDeletedOnCancellation);
    return isRetained ? newer(savepoint, completed) : savepoint;
  }

  return {
    requireEnded,
    async of(jobId, signal) {
      const { state } = await requireEnded(jobId, signal);
      const location = records.get(jobId)?.stop?.location ?? (await told(jobId, state, signal))?.path;
      if (location !== undefined) return location;
      throw new Conflict(
        'NO_SAVED_STATE',
        `${jobId} left neither a savepoint nor a checkpoint that is kept: launch it anew, or name a savepoint by flink.savepoint`,
      );
    },
  };
}

const newer = (one: SavedState | undefined, other: SavedState): SavedState =>
  one && one.id > other.id ? one : other;
