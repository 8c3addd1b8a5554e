import { NotFound } from 'headgate/driver-kit';
import type { Checkpoints } from '../rest/history-shapes.js';
import type { Resources } from '../rest/resources.js';

const none: Checkpoints = { counts: undefined, latest: undefined, history: [] };

/** What Flink tells of the checkpoints of a job; of one that makes none, as a batch job, it says that there is nothing. */
export async function checkpointsOf(
  resources: Pick<Resources, 'checkpoints' | 'job'>,
  jobId: string,
): Promise<Checkpoints> {
  try {
    return await resources.checkpoints.get(jobId);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    // Of a job that is not known this rejects too.
    await resources.job.get(jobId);
    return none;
  }
}
