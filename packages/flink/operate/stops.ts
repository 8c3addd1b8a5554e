import { BadRequest, UnusableAnswer, withTimeout } from 'headgate/driver-kit';
import type { KeptSavepoint } from './records.js';
import type { SavepointOrders } from './savepoint-orders.js';

/** Stops jobs with a savepoint, and keeps where that is. */
export interface Stops {
  /**
   * Resolves when it is made. Asked twice it is one stop. Rejects with `BadRequest` (`ENGINE_REFUSED`) when there is no savepoint,
   * and then the job runs on; with `TimedOut` when it takes longer than anybody waits, and then it is made all the same.
   */
  stop(jobId: string, user?: string): Promise<void>;
}

export function createStops(deps: {
  readonly orders: SavepointOrders;
  readonly limits: { readonly stopMillis: number };
}): Stops {
  const { orders, limits } = deps;
  return {
    async stop(jobId, user = '') {
      const { made } = orders.order(jobId, {
        isOfStop: true,
        path: `/jobs/${jobId}/stop`,
        body: { drain: false },
        about: user === '' ? {} : { orderedBy: user },
      });
      const what = `The savepoint of ${jobId}, which is still being made,`;
      requireMade(await withTimeout(limits.stopMillis, what, undefined, () => made));
    },
  };
}

function requireMade({ failure, lost }: KeptSavepoint): void {
  if (failure !== undefined)
    throw new BadRequest('ENGINE_REFUSED', `The job is not stopped, for there is no savepoint: ${failure}`);
  if (lost !== undefined)
    throw new UnusableAnswer('The JobManager', `does not tell what became of the savepoint: ${lost}`);
}
