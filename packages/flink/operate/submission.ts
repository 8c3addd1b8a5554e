import { randomBytes } from 'node:crypto';
import { type Clock, Conflict, GatewayError, type Logger } from 'headgate/driver-kit';
import type { FlinkApplications } from '../jobs/applications.js';
import type { JobManagerClient } from '../rest/client.js';
import { jobStatus } from '../rest/job-status.js';
import type { RunOutcome } from './jar-run.js';
import type { JobRecords, LaunchRecord } from './records.js';
import { sweepJars } from './uploaded-jars.js';

/** A launch, before it is asked. */
export type Launch = Omit<LaunchRecord, 'askedAt' | 'acceptedAt'>;

/** Tries to begin the job of an id. */
export type Run = (jobId: string, signal: AbortSignal | undefined) => Promise<RunOutcome>;

/** Launches as jobs of ids that the gateway chose and keeps before anybody is asked: one whose answer was lost is no other job. */
export interface Submission {
  /** The job of a launch like this one of which nobody knows whether it began. */
  unsettled(launch: Launch): string | undefined;
  /**
   * Resolves the id of the job. Rejects with what Flink refuses, and then nothing runs; or with what went wrong on the way, and then
   * the same launch goes on with the same job.
   */
  submit(launch: Launch, run: Run, signal: AbortSignal | undefined): Promise<string>;
}

/** What may be the same launch once more is so for so long, milliseconds. */
const unsettledMillis = 3_600_000;

export function createSubmission(deps: {
  readonly client: JobManagerClient;
  readonly applications: FlinkApplications;
  readonly records: JobRecords;
  readonly clock: Clock;
  readonly logger: Logger;
}): Submission {
  const { client, applications, records, clock, logger } = deps;

  function unsettled(launch: Launch): string | undefined {
    const wanted = JSON.stringify(asAsked(launch));
    for (const [jobId, { launch: before }] of records.all()) {
      const isOpen = before && before.acceptedAt === undefined;
      const isRecent = isOpen && clock.now() - before.askedAt < unsettledMillis;
      if (isRecent && JSON.stringify(asAsked(before)) === wanted) return jobId;
    }
    return undefined;
  }

  /** `undefined`: there is none, or nobody can be asked. */
  const stateOf = (jobId: string): Promise<string | undefined> =>
    jobStatus(client, jobId).catch(() => undefined);

  /** It runs, whether that can be kept or not. */
  async function settle(jobId: string, launch: LaunchRecord): Promise<void> {
    const accepted = { ...launch, acceptedAt: clock.now() };
    await records.put(jobId, { launch: accepted }).catch((err: unknown) => {
      logger.error(
        { event: 'application.launch_not_saved', err, appId: jobId },
        'The record of a launch can not be kept',
      );
    });
    applications.changed(jobId);
    // So that it is known also when the JobManager forgets it.
    await applications.get(jobId).catch(() => undefined);
  }

  async function accept(jobId: string, launch: LaunchRecord): Promise<string> {
    await settle(jobId, launch);
    await sweepJars(client, clock, jobId);
    const { user, name } = launch;
    logger.info({ event: 'application.launched', appId: jobId, user, name }, 'Application launched');
    return jobId;
  }

  return {
    unsettled,
    async submit(launch, run, signal) {
      const before = unsettled(launch);
      const jobId = before ?? randomBytes(16).toString('hex');
      const asked = { ...launch, askedAt: clock.now() };
      if (before !== undefined && (await stateOf(before))) return accept(before, asked);
      await records.put(jobId, { launch: asked });
      const outcome = await run(jobId, signal);
      if (outcome.is === 'started') return accept(jobId, asked);
      const state = await stateOf(jobId);
      // Of a job that does not even begin Flink tells twice why.
      const isStillborn = state === 'FAILED' && outcome.is === 'refused' && before === undefined;
      // A program that fails when its job has begun, and one that was asked before, count by the job.
      if (state && !isStillborn) return accept(jobId, asked);
      if (outcome.is === 'unknown') throw notKnown(jobId, outcome.error);
      if (isStillborn) await settle(jobId, asked);
      else if (before === undefined) await records.remove(jobId).catch(() => undefined);
      throw outcome.error;
    },
  };
}

/** In the order of the schema. */
const asAsked = ({ askedAt: _, acceptedAt: __, ...launch }: Partial<LaunchRecord>) =>
  Object.entries(launch).sort(([one], [other]) => (one < other ? -1 : 1));

export const programMissing = (what: string): Conflict =>
  new Conflict(
    'PACKAGE_CODE_MISSING',
    `What ${what} runs is not kept here: launch it from its package; originalAppId says whose state it goes on from`,
  );

function notKnown(jobId: string, error: unknown): unknown {
  if (!(error instanceof GatewayError)) return error;
  const message = `${error.message}; it is not known whether the job ${jobId} began: launch the same again, and it is one job`;
  return new GatewayError(error.status, error.code, message, { cause: error });
}
