import { Conflict, GatewayError } from 'headgate/driver-kit';
import type { FlinkApplications } from '../jobs/applications.js';
import { hasEnded } from '../jobs/states.js';

/** What is changed of a job only as long as it runs. */
export interface RunningJobs {
  /** Rejects with `Conflict` for one that has ended. */
  require(jobId: string, signal?: AbortSignal): Promise<void>;
  /** For `catch`, of what was refused: because it ended in between? Rejects with `Conflict` then, else with the error. */
  unlessEnded(jobId: string, error: unknown, signal?: AbortSignal): Promise<never>;
}

export function createRunningJobs(applications: FlinkApplications): RunningJobs {
  async function require(jobId: string, signal?: AbortSignal): Promise<void> {
    applications.changed(jobId);
    const { report } = await applications.get(jobId, signal ? { signal } : {});
    if (hasEnded(report)) throw new Conflict('APPLICATION_ENDED', `${jobId} has ended (${report.state})`);
  }
  return {
    require,
    async unlessEnded(jobId, error, signal) {
      if (error instanceof GatewayError && error.status < 500) await require(jobId, signal);
      throw error;
    },
  };
}
