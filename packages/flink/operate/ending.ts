import { undefinedIfUnknown } from 'headgate/driver-kit';
import * as z from 'zod';
import type { FlinkApplications } from '../jobs/applications.js';
import type { JobManagerClient } from '../rest/client.js';
import type { RunningJobs } from './running.js';
import type { Stops } from './stops.js';

const Accepted = z.object({});

/** How jobs are ended. Both reject with `Conflict` for one that has ended. */
export interface Ending {
  /** Cancels it. */
  kill(jobId: string, signal?: AbortSignal): Promise<void>;
  /** Stops it with a savepoint. Resolves when that is made; rejects as `Stops.stop` does. */
  shutdown(
    jobId: string,
    options?: { readonly user?: string; readonly drain?: boolean; readonly signal?: AbortSignal },
  ): Promise<void>;
}

export function createEnding(deps: {
  readonly client: JobManagerClient;
  readonly applications: FlinkApplications;
  readonly running: RunningJobs;
  readonly stops: Stops;
}): Ending {
  const { client, applications, running, stops } = deps;
  return {
    async kill(jobId, signal) {
      await running.require(jobId, signal);
      await client
        .send(`/jobs/${jobId}?mode=cancel`, Accepted, { method: 'PATCH' }, signal)
        .catch(undefinedIfUnknown)
        .catch((error: unknown) => running.unlessEnded(jobId, error, signal));
      applications.changed(jobId);
    },
    async shutdown(jobId, { signal, ...how } = {}) {
      await running.require(jobId, signal);
      await stops.stop(jobId, how).catch((error: unknown) => running.unlessEnded(jobId, error, signal));
      applications.changed(jobId);
    },
  };
}
