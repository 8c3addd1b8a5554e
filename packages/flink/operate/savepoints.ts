import { Conflict, GatewayError, NotFound, type SavepointCatalogue } from 'headgate/driver-kit';
import { checkpointsOf } from '../jobs/checkpoints.js';
import type { Checkpoints } from '../rest/history-shapes.js';
import type { Resources } from '../rest/resources.js';
import type { Disposals } from './disposals.js';
import type { RunningJobs } from './running.js';
import { isOpen, type SavepointBook } from './savepoint-book.js';
import { type ListedSavepoint, listedSavepoints } from './savepoint-list.js';
import type { SavepointOrders } from './savepoint-orders.js';

/** The savepoints of a job. */
export type Savepoints = (jobId: string) => SavepointCatalogue;

export function createSavepoints(deps: {
  readonly resources: Resources;
  readonly running: RunningJobs;
  readonly book: SavepointBook;
  readonly orders: SavepointOrders;
  readonly disposals: Disposals;
}): Savepoints {
  const { resources, running, book, orders, disposals } = deps;

  const listed = (jobId: string, told: Checkpoints | undefined): ListedSavepoint[] =>
    listedSavepoints(book.of(jobId), told?.history ?? [], book.deletedOf(jobId));

  /** `undefined`: it can't be had now, or not any more. */
  const historyOf = (jobId: string) => checkpointsOf(resources, jobId).catch(undefinedIfNotTold);

  return (jobId) => ({
    async list() {
      const told = await historyOf(jobId);
      return {
        savepoints: listed(jobId, told).map(({ savepoint }) => savepoint),
        isComplete: told !== undefined,
      };
    },

    async start({ targetDirectory, formatType, user, signal }) {
      await running.require(jobId, signal);
      const { taken } =
        orders.underWay(jobId, true) ??
        orders.order(jobId, {
          isOfStop: false,
          path: `/jobs/${jobId}/savepoints`,
          body: { 'cancel-job': false, 'target-directory': targetDirectory, formatType },
          about: {
            ...(user === '' ? {} : { orderedBy: user }),
            ...(targetDirectory === undefined ? {} : { targetDirectory }),
            ...(formatType === undefined ? {} : { formatType }),
          },
        });
      const { trigger } = await taken.catch((error: unknown) => running.unlessEnded(jobId, error, signal));
      const found = listed(jobId, undefined).find(({ savepoint }) => savepoint.id === trigger);
      if (!found) throw new NotFound('savepoint', trigger);
      return found.savepoint;
    },

    async remove(savepointId) {
      const told = await historyOf(jobId);
      const found = listed(jobId, told).find(({ savepoint }) => savepoint.id === savepointId);
      if (!found) throw new NotFound('savepoint', savepointId.slice(0, 100));
      const { state, location } = found.savepoint;
      // Also for a moment after Flink's history has it: else it would be kept again.
      const isFollowed = book.of(jobId).some((one) => one.trigger === savepointId && isOpen(one));
      if (state === 'IN_PROGRESS' || isFollowed)
        throw new Conflict('SAVEPOINT_UNDER_WAY', `The savepoint ${savepointId} is being made`);
      const forget = () => book.forget(jobId, savepointId, found.mark);
      if (location === undefined) await forget();
      else await disposals.dispose(location, forget);
    },
  });
}

function undefinedIfNotTold(error: unknown): undefined {
  if (!(error instanceof GatewayError)) throw error;
}
