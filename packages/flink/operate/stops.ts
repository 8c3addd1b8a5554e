import { setTimeout as pause } from 'node:timers/promises';
import { BadRequest, Conflict, pauseAfter, UnusableAnswer, withTimeout } from 'headgate/driver-kit';
import { hasEnded, statesOf } from '../jobs/states.js';
import type { JobManagerClient } from '../rest/client.js';
import { jobStatus } from '../rest/job-status.js';
import type { KeptSavepoint } from './records.js';
import type { SavepointOrders } from './savepoint-orders.js';

/** Stops jobs with a savepoint, and keeps where that is. */
export interface Stops {
  /**
   * Resolves when it is made. Asked twice it is one stop. Rejects with `BadRequest` (`ENGINE_REFUSED`) when there is no savepoint,
   * and then the job runs on; with `TimedOut` when it takes longer than anybody waits, and then it is made all the same; with `Conflict`
   * (`SAVEPOINT_UNDER_WAY`) when it is being stopped with another `drain`. Default: without.
   */
  stop(jobId: string, how: { readonly user?: string; readonly drain?: boolean }): Promise<void>;
}

/** How often a job is asked for its end when its savepoint is there; pauses in milliseconds. */
const endings = 10;
const pauses = { first: 50, most: 500 };

export function createStops(deps: {
  readonly client: Pick<JobManagerClient, 'get'>;
  readonly orders: SavepointOrders;
  readonly closing: AbortSignal;
  readonly limits: { readonly stopMillis: number };
}): Stops {
  const { client, orders, limits, closing } = deps;

  /** It is over as soon as its savepoint is there, or hardly later: who starts it again must not come too early. */
  async function untilEnded(jobId: string): Promise<void> {
    for (let asked = 1; asked <= endings; asked++) {
      if (hasEnded(statesOf(await jobStatus(client, jobId, closing)))) return;
      await pause(pauseAfter(asked, pauses, Math.random()), undefined, { signal: closing });
    }
  }

  return {
    async stop(jobId, { user = '', drain = false }) {
      const { made, isDrained } = orders.order(jobId, {
        isOfStop: true,
        path: `/jobs/${jobId}/stop`,
        body: { drain },
        about: { ...(user === '' ? {} : { orderedBy: user }), ...(drain ? { isDrained: true } : {}) },
      });
      if (isDrained !== drain)
        throw new Conflict(
          'SAVEPOINT_UNDER_WAY',
          `${jobId} is being stopped already, ${isDrained ? 'drained' : 'without being drained'}: that can't be changed now`,
        );
      const what = `The savepoint of ${jobId}, which is still being made,`;
      requireMade(await withTimeout(limits.stopMillis, what, undefined, () => made));
      await untilEnded(jobId).catch(() => undefined);
    },
  };
}

function requireMade({ failure, lost }: KeptSavepoint): void {
  if (failure !== undefined)
    throw new BadRequest('ENGINE_REFUSED', `The job is not stopped, for there is no savepoint: ${failure}`);
  if (lost !== undefined)
    throw new UnusableAnswer('The JobManager', `does not tell what became of the savepoint: ${lost}`);
}
