import { BadRequest, GatewayError, NotFound } from 'headgate/driver-kit';
import type { JobManagerClient } from '../rest/client.js';
import type { SentFile } from '../rest/form.js';
import { PlanAnswer, type PlannedVertex, RunAnswer, UploadedJar } from '../rest/jar-shapes.js';
import { removeJar, uploadedName } from './uploaded-jars.js';

/** What `/jars/:id/run` takes, in its words. */
export interface RunOrder {
  readonly entryClass: string;
  readonly programArgsList: readonly string[];
  readonly parallelism?: number;
  readonly savepointPath?: string;
  readonly allowNonRestoredState?: boolean;
  readonly flinkConfiguration?: Readonly<Record<string, string>>;
}

/** What `/jars/:id/plan` takes of it. */
type PlanOrder = Omit<RunOrder, 'savepointPath' | 'allowNonRestoredState'>;

/** `unknown`: the JobManager may have begun it, or may still do so. */
export type RunOutcome =
  | { readonly is: 'started' }
  | { readonly is: 'refused' | 'unknown'; readonly error: unknown };

/** Has a JobManager run a program of a jar as the job of an id. The jar does not stay there, unless it may still be needed. */
export async function runJar(
  client: JobManagerClient,
  jobId: string,
  jar: Pick<SentFile, 'size' | 'open'>,
  order: RunOrder,
  signal: AbortSignal | undefined,
): Promise<RunOutcome> {
  let uploaded: { readonly answer: string; readonly at: string };
  try {
    uploaded = await uploadJar(client, jobId, jar, signal);
  } catch (error) {
    return { is: 'refused', error };
  }
  const { answer: jarId, at } = uploaded;
  const change = { method: 'POST', body: { ...order, jobId }, at, runsProgram: true } as const;
  const outcome = await client.send(`/jars/${jarId}/run`, RunAnswer, change, signal).then(
    (): RunOutcome => ({ is: 'started' }),
    (error: unknown): RunOutcome => ({ is: isRefusal(error) ? 'refused' : 'unknown', error }),
  );
  if (outcome.is !== 'unknown') await removeJar(client, jarId, at);
  return outcome;
}

/** Plans a program of a jar, which does not stay there. `planId`: for the name of the jar, as that of a job. */
export async function planJar(
  client: JobManagerClient,
  planId: string,
  jar: Pick<SentFile, 'size' | 'open'>,
  order: PlanOrder,
  signal: AbortSignal | undefined,
): Promise<readonly PlannedVertex[]> {
  const { answer: jarId, at } = await uploadJar(client, planId, jar, signal);
  try {
    const change = { method: 'POST', body: order, at, runsProgram: true } as const;
    return await client.send(`/jars/${jarId}/plan`, PlanAnswer, change, signal);
  } finally {
    await removeJar(client, jarId, at);
  }
}

/** The name tells which launch it was for. */
const uploadJar = (
  client: JobManagerClient,
  id: string,
  jar: Pick<SentFile, 'size' | 'open'>,
  signal: AbortSignal | undefined,
) => {
  const file = { ...jar, field: 'jarfile', name: uploadedName(id) };
  return client.upload('/jars/upload', UploadedJar, file, signal).catch(takesNoJars);
};

export const isRefusal = (error: unknown): boolean => error instanceof GatewayError && error.status < 500;

function takesNoJars(error: unknown): never {
  if (!(error instanceof NotFound)) throw error;
  throw new BadRequest(
    'ENGINE_REFUSED',
    'The JobManager takes no jars: its option web.submit.enable has to be true, and flink-runtime-web among its libraries',
  );
}
