import { Conflict, type Master, NotFound } from 'headgate/driver-kit';
import type { FlinkApplications } from './jobs/applications.js';
import { hasEnded } from './jobs/states.js';
import { attributeReader } from './observe/attributes.js';
import type { Observer } from './observe/observer.js';
import type { Ending } from './operate/ending.js';

/** The view of one job, as long as the JobManager knows it. */
export function masterOf(
  jobId: string,
  deps: { readonly applications: FlinkApplications; readonly observer: Observer; readonly ending: Ending },
): Master {
  const { observer, ending } = deps;

  /** One that is known from before, and that the JobManager has no more. */
  async function told<T>(question: Promise<T>): Promise<T> {
    try {
      return await question;
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      const { report } = await deps.applications.get(jobId);
      if (!hasEnded(report)) throw error;
      throw new Conflict(
        'APPLICATION_ENDED',
        `${jobId} has ended, and the JobManager does not keep it any more`,
      );
    }
  }

  return {
    info: () => told(observer.info(jobId)),
    physicalPlan: () => told(observer.physicalPlan(jobId)),
    logicalPlan: () => told(observer.logicalPlan(jobId)),
    logicalOperators: () => told(observer.logicalOperators(jobId)),
    containers: () => told(observer.containers(jobId)),
    shutdown: ({ signal } = {}) => ending.shutdown(jobId, signal),
    attributes: attributeReader(observer, jobId),
  };
}
