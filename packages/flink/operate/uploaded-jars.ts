import type { Clock } from 'headgate/driver-kit';
import * as z from 'zod';
import type { JobManagerClient } from '../rest/client.js';
import { UploadedJars } from '../rest/jar-shapes.js';

/** Under which a JobManager is given the jar of a job. */
export const uploadedName = (jobId: string): string => `headgate-${jobId}.jar`;
const ofJob = /^headgate-([0-9a-f]{32})\.jar$/;

/** Longer than any run takes; of another gateway too. Milliseconds. */
const surelyOver = 3_600_000;

/** A jar that is not there, or can not be removed now, is no failure of a launch: what stays goes with the next one. */
export const removeJar = (
  client: Pick<JobManagerClient, 'send'>,
  jarId: string,
  at?: string,
): Promise<unknown> =>
  client.send(`/jars/${jarId}`, z.object({}), { method: 'DELETE', at }).catch(() => undefined);

/** Removes what launches left at the JobManager whose answers were lost: of this job, and of any that is long over. */
export async function sweepJars(
  client: Pick<JobManagerClient, 'get' | 'send'>,
  clock: Pick<Clock, 'now'>,
  settledJob: string,
): Promise<void> {
  const uploaded = await client.get('/jars', UploadedJars).catch(() => []);
  for (const { id, name, uploaded: at } of uploaded) {
    const [, jobId] = ofJob.exec(name) ?? [];
    if (jobId !== undefined && (jobId === settledJob || clock.now() - at > surelyOver))
      await removeJar(client, id);
  }
}
