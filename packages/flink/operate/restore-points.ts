import { setTimeout as pause } from 'node:timers/promises';
import { type ApplicationReport, type Clock, Conflict, undefinedIfUnknown } from 'headgate/driver-kit';
import type { FlinkApplications } from '../jobs/applications.js';
import { hasEnded } from '../jobs/states.js';
import type { JobManagerClient } from '../rest/client.js';
import type { Resources } from '../rest/resources.js';
import { CheckpointRetention, LatestCheckpoints, type SavedState } from '../rest/restore-shapes.js';
import type { SavepointBook } from './savepoint-book.js';

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

/** Flink's default, and the longest that is waited for, milliseconds. */
const refreshMillis = 3000;
const maxRefreshMillis = 15_000;

export function createRestorePoints(deps: {
  readonly client: Pick<JobManagerClient, 'get'>;
  readonly applications: FlinkApplications;
  readonly book: Pick<SavepointBook, 'stopOf' | 'deletedOf'>;
  readonly resources: Pick<Resources, 'configuration'>;
  readonly clock: Pick<Clock, 'now'>;
}): RestorePoints {
  const { client, applications, book, resources, clock } = deps;

  async function requireEnded(jobId: string, signal: AbortSignal | undefined): Promise<ApplicationReport> {
    applications.changed(jobId);
    const { report } = await applications.get(jobId, signal ? { signal } : {});
    if (hasEnded(report)) return report;
    throw new Conflict('APPLICATION_RUNNING', `${jobId} has not ended (${report.state}): shut it down first`);
  }

  /**
   * What the JobManager tells of a job it tells for a while (`web.refresh-interval`): of one that has just ended that may be a
   * checkpoint which a later one has taken the place of.
   */
  async function untilToldAnew(finishedTime: number, signal: AbortSignal | undefined): Promise<void> {
    const { 'refresh-interval': told } = await resources.configuration.get();
    const most = Math.min(told ?? refreshMillis, maxRefreshMillis);
    const left = Math.min(finishedTime + most - clock.now(), most);
    if (left > 0) await pause(left, undefined, signal ? { signal } : {});
  }

  /** What the JobManager tells of it, as long as it keeps the job. */
  async function told({ id, state, finishedTime }: ApplicationReport, signal: AbortSignal | undefined) {
    const path = `/jobs/${id}/checkpoints`;
    await untilToldAnew(finishedTime, signal);
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
      const report = await requireEnded(jobId, signal);
      const stop = book.stopOf(jobId);
      if (stop?.isDrained && stop.location !== undefined) throw drained(jobId);
      const location = stop?.location ?? (await told(report, signal))?.path;
      // Flink's history goes on telling of savepoints that were deleted.
      if (location !== undefined && !book.deletedOf(jobId).has(location)) return location;
      throw new Conflict(
        'NO_SAVED_STATE',
        `${jobId} left neither a savepoint nor a checkpoint that is kept: launch it anew, or name a savepoint by flink.savepoint`,
      );
    },
  };
}

const drained = (jobId: string): Conflict =>
  new Conflict(
    'NO_SAVED_STATE',
    `${jobId} was drained, so that what it left is its end: launch it anew, or name a savepoint by flink.savepoint to go on from`,
  );

const newer = (one: SavedState | undefined, other: SavedState): SavedState =>
  one && one.id > other.id ? one : other;
