import { Conflict, type Failure, type Issue, NotFound, type ThreadDump } from 'headgate/driver-kit';
import { checkpointsOf } from '../jobs/checkpoints.js';
import { jobManagerPath, type Resources, taskManagerPath } from '../rest/resources.js';
import { jobManagerId } from './containers.js';
import { failureOf } from './failure.js';
import { issuesOf } from './issues.js';
import type { Observer } from './observer.js';
import { threadDumpOf } from './threads.js';

/** What is asked when something is wrong. */
export interface Inspector {
  /** Rejects with `NotFound` for an unknown container, `Conflict` for one that is gone. */
  threads(jobId: string, containerId: string): Promise<ThreadDump>;
  failure(jobId: string): Promise<Failure | undefined>;
  issues(jobId: string): Promise<Issue[]>;
}

export function createInspector({
  resources,
  observer,
}: {
  readonly resources: Resources;
  readonly observer: Observer;
}): Inspector {
  return {
    async threads(jobId, containerId) {
      const found = (await observer.containers(jobId)).find(({ id }) => id === containerId);
      if (!found) throw new NotFound('container', containerId);
      if (found.state !== 'ACTIVE')
        throw new Conflict('CONTAINER_NOT_RUNNING', `The container ${containerId} does not run`);
      const path = containerId === jobManagerId ? jobManagerPath : taskManagerPath(containerId);
      return threadDumpOf(await resources.threads.get(path));
    },

    failure: async (jobId) => failureOf(await resources.exceptions.get(jobId)),

    async issues(jobId) {
      const [{ view, logical }, { history: checkpoints }, overview] = await Promise.all([
        observer.look(jobId),
        checkpointsOf(resources, jobId),
        resources.overview.get(),
      ]);
      return issuesOf({ view, logical, checkpoints, freeSlots: overview['slots-available'] });
    },
  };
}
