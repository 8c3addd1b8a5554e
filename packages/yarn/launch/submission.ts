import {
  type CallOptions,
  type LaunchCredentials,
  type LaunchRequest,
  type Logger,
  type RestartRequest,
  UnusableAnswer,
} from 'headgate/driver-kit';
import * as z from 'zod';
import type { Cli, CliJob } from '../commands/cli.js';
import { isApplicationId } from '../wire/ids.js';
import type { LaunchRecords } from './records.js';

const Answer = z.object({ appId: z.string().refine(isApplicationId) });

/** What is kept of a launch. */
type Launched = RestartRequest &
  Pick<LaunchRequest, 'isSystemApp' | 'packageSource'> & { readonly credential?: string | undefined };

export interface SubmissionDeps {
  readonly cli: Cli;
  readonly records: LaunchRecords;
  readonly now: () => number;
  readonly logger: Logger;
  readonly credentials: LaunchCredentials | undefined;
}

/** Gives the engine's command the words for an application, and keeps what later questions need; resolves its id. */
type Submit = (
  request: Launched,
  words: (job: CliJob) => Promise<readonly string[]>,
  options: CallOptions | undefined,
) => Promise<string>;

export function createSubmission({ cli, records, now, logger, credentials }: SubmissionDeps): Submit {
  /** It runs, whether that can be kept or not. */
  async function keep(appId: string, request: Launched): Promise<void> {
    const { isSystemApp = false, packageSource, user, credential } = request;
    const record = {
      user,
      launchedAt: now(),
      isSystemApp,
      ...(credential === undefined ? {} : { credential }),
    };
    await Promise.all([
      credential === undefined ? undefined : credentials?.bind(credential, appId),
      records.add(appId, { ...record, ...(packageSource ? { packageSource: { ...packageSource } } : {}) }),
    ]).catch((err: unknown) =>
      logger.error(
        { event: 'application.launch_not_saved', err, appId },
        'The record of a launch can not be kept',
      ),
    );
  }

  return async (request, words, options) => {
    const queue = request.queue === undefined ? [] : ['-queue', request.queue];
    const answer = await cli.job(
      async (job) => job.run(['launch', ...queue, ...(await words(job))], options?.signal),
      options?.signal,
    );
    const told = Answer.safeParse(answer);
    if (!told.success) throw new UnusableAnswer("The engine's command line", 'did not tell the new id');
    const { appId } = told.data;
    await keep(appId, request);
    logger.info({ event: 'application.launched', appId, user: request.user }, 'Application launched');
    return appId;
  };
}
