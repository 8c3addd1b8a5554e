import { Conflict, GatewayError, undefinedIfUnknown } from 'headgate/driver-kit';
import * as z from 'zod';
import type { FlinkApplications } from '../jobs/applications.js';
import { hasEnded } from '../jobs/states.js';
import type { JobManagerClient } from '../rest/client.js';
import type { Stops } from './stops.js';

const Accepted = z.object({});

/** How jobs are ended. Both reject with `Conflict` for one that has ended. */
export interface Ending {
  /** Cancels it. */
  kill(jobId: string, signal?: AbortSignal): Promise<void>;
  /** Stops it with a savepoint. Resolves when that is made; rejects as `Stops.stop` does. */
  shutdown(jobId: string, signal?: AbortSignal): Promise<void>;
}

export function createEnding(deps: {
  readonly client: JobManagerClient;
  readonly applications: FlinkApplications;
  readonly stops: Stops;
}): Ending {
  const { client, applications, stops } = deps;

  async function requireRunning(jobId: string, signal: AbortSignal | undefined): Promise<void> {
    applications.changed(jobId);
    const { report } = await applications.get(jobId, signal ? { signal } : {});
    if (hasEnded(report)) throw new Conflict('APPLICATION_ENDED', `${jobId} has ended (${report.state})`);
  }

  /** Of what was refused: because it ended in between? */
  async function unlessEnded(jobId: string, error: unknown, signal: AbortSignal | undefined): Promise<never> {
    if (error instanceof GatewayError && error.status < 500) await requireRunning(jobId, signal);
    throw error;
  }

  return {
    async kill(jobId, signal) {
      await requireRunning(jobId, signal);
      await client
        .send(`/jobs/${jobId}?mode=cancel`, Accepted, { method: 'PATCH' }, signal)
        .catch(undefinedIfUnknown)
        .catch((error: unknown) => unlessEnded(jobId, error, signal));
      applications.changed(jobId);
    },
    async shutdown(jobId, signal) {
      await requireRunning(jobId, signal);
      await stops.stop(jobId).catch((error: unknown) => unlessEnded(jobId, error, signal));
      applications.changed(jobId);
    },
  };
}
