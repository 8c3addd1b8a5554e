import { BadRequest, GatewayError, withTimeout } from 'headgate/driver-kit';
import * as z from 'zod';
import type { JobManagerClient } from '../rest/client.js';
import { isHexId } from '../rest/values.js';
import type { SqlGateway, SqlSession } from '../sql/session.js';
import { isRefusal, type RunOutcome } from './jar-run.js';

interface SqlPeers {
  readonly gateway: SqlGateway;
  /** Of the JobManager. */
  readonly client: Pick<JobManagerClient, 'send'>;
}

/** An application in SQL as it is to run. */
interface SqlOrder {
  readonly statements: readonly string[];
  /** Of the session. */
  readonly properties: Readonly<Record<string, string>>;
  /** For all statements together, milliseconds. */
  readonly millis: number;
}

/**
 * Carries out statements one after the other, of which the last one makes the job of an id. One that fails ends it: then nothing
 * of it runs.
 */
export async function runSql(
  peers: SqlPeers,
  jobId: string,
  { statements, properties, millis }: SqlOrder,
  signal: AbortSignal | undefined,
): Promise<RunOutcome> {
  const last = statements.length - 1;
  let mayRun = false;

  async function all(session: SqlSession, inTime: AbortSignal): Promise<void> {
    await prepare(peers, session, statements.slice(0, last), inTime);
    for (const setting of [`SET '$internal.pipeline.job-id' = '${jobId}'`, notWaiting])
      await session.execute(setting, inTime);
    mayRun = true;
    const made = await placed(last, session.execute(statements[last] ?? '', inTime));
    if (made === jobId) return;
    mayRun = false;
    if (made !== undefined) await cancelJob(peers.client, made);
    throw refusedAt(last, 'it made no job of the id that it was given');
  }

  try {
    await peers.gateway.inSession(properties, signal, (session) =>
      withTimeout(millis, 'The SQL gateway', signal, (inTime) => all(session, inTime)),
    );
    return { is: 'started' };
  } catch (error) {
    return { is: mayRun && !isRefusal(error) ? 'unknown' : 'refused', error };
  }
}

/** Else the statement would last until its job has ended. */
const notWaiting = "SET 'table.dml-sync' = 'false'";

/** Carries out statements that make no job; one that does is refused, and its job canceled. */
export async function prepare(
  { client }: Pick<SqlPeers, 'client'>,
  session: SqlSession,
  statements: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (const [index, statement] of statements.entries()) {
    const made = await placed(index, session.execute(statement, signal));
    if (made === undefined) continue;
    await cancelJob(client, made);
    throw refusedAt(index, 'it makes a job, as only the last statement may');
  }
}

/** One that is not there, or can not be canceled now, is no failure. */
export const cancelJob = async (client: Pick<JobManagerClient, 'send'>, jobId: string): Promise<void> => {
  if (!isHexId(jobId)) return;
  const change = { method: 'PATCH' } as const;
  await client.send(`/jobs/${jobId}?mode=cancel`, z.object({}), change).catch(() => undefined);
};

const refusedAt = (index: number, why: string): BadRequest =>
  new BadRequest('ENGINE_REFUSED', `Statement ${index + 1}: ${why}`, [
    { path: `statements.${index}`, message: why },
  ]);

/** Its failures name the number of the statement, as a person counts. */
const placed = <T>(index: number, work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    if (!(error instanceof GatewayError)) throw error;
    if (error instanceof BadRequest) throw refusedAt(index, error.message);
    const message = `Statement ${index + 1}: ${error.message}`;
    throw new GatewayError(error.status, error.code, message, { cause: error });
  });
