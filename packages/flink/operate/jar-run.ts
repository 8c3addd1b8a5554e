import { BadRequest, GatewayError, NotFound } from 'headgate/driver-kit';
import type { JobManagerClient } from '../rest/client.js';
import type { SentFile } from '../rest/form.js';
import { RunAnswer, UploadedJar } from '../rest/jar-shapes.js';
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
    const file = { ...jar, field: 'jarfile', name: uploadedName(jobId) };
    uploaded = await client.upload('/jars/upload', UploadedJar, file, signal).catch(takesNoJars);
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

export const isRefusal = (error: unknown): boolean => error instanceof GatewayError && error.status < 500;

function takesNoJars(error: unknown): never {
  if (!(error instanceof NotFound)) throw error;
  throw new BadRequest(
    'ENGINE_REFUSED',
    'The JobManager takes no jars: its option web.submit.enable has to be true, and flink-runtime-web among its libraries',
  );
}
