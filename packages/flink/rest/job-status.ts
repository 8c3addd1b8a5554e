import { NotFound } from 'headgate/driver-kit';
import * as z from 'zod';
import type { JobManagerClient } from './client.js';

const Status = z.object({ status: z.string() });
const Whole = z.object({ state: z.string() });

/**
 * The state of a job now: what the JobManager tells of jobs otherwise it tells for some seconds (`web.refresh-interval`). Rejects
 * with `NotFound`.
 */
export async function jobStatus(
  client: Pick<JobManagerClient, 'get'>,
  jobId: string,
  signal?: AbortSignal,
): Promise<string> {
  try {
    return (await client.get(`/jobs/${jobId}/status`, Status, signal)).status;
  } catch (error) {
    // Older ones do not have it.
    if (!(error instanceof NotFound)) throw error;
    return (await client.get(`/jobs/${jobId}`, Whole, signal)).state;
  }
}
