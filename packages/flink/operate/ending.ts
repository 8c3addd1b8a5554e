import { Conflict, undefinedIfUnknown } from 'headgate/driver-kit';
import * as z from 'zod';
import type { FlinkApplications } from '../jobs/applications.js';
import { hasEnded } from '../jobs/states.js';
import type { JobManagerClient } from '../rest/client.js';

const Accepted = z.object({});

/** How jobs are ended. */
export interface Ending {
  /** Cancels it. Rejects with `Conflict` when it has ended. */
  kill(jobId: string, signal?: AbortSignal): Promise<void>;
  /** Stops it with a savepoint, where the cluster keeps those. Resolves when the order was taken. */
  shutdown(jobId: string, signal?: AbortSignal): Promise<void>;
}

export function createEnding(deps: {
  readonly client: JobManagerClient;
  readonly applications: FlinkApplications;
}): Ending {
  const { client, applications } = deps;

  async function requireRunning(jobId: string, signal: AbortSignal | undefined): Promise<void> {
    applications.changed(jobId);
    const { report } = await applications.get(jobId, signal ? { signal } : {});
    if (hasEnded(report)) throw new Conflict('APPLICATION_ENDED', `${jobId} has ended (${report.state})`);
  }

  return {
    async kill(jobId, signal) {
      await requireRunning(jobId, signal);
      await client
        .send(`/jobs/${jobId}?mode=cancel`, Accepted, { method: 'PATCH' }, signal)
        // It ended in between.
        .catch(undefinedIfUnknown);
      applications.changed(jobId);
    },
    async shutdown(jobId, signal) {
      await requireRunning(jobId, signal);
      const body = { drain: false };
      await client.send(`/jobs/${jobId}/stop`, Accepted, { method: 'POST', body }, signal);
      applications.changed(jobId);
    },
  };
}
