import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import {
  BadRequest,
  type CallOptions,
  Conflict,
  type Credentials,
  type LaunchCredentials,
  type Launcher,
  type LaunchRequest,
  type Logger,
  NotFound,
  owned,
  type PackageContent,
  type RestartRequest,
  UnusableAnswer,
} from 'headgate/driver-kit';
import { z } from 'zod';
import { isApplicationId } from '../ids.js';
import { hasEnded, type YarnApplications } from '../manager/applications.js';
import type { Cli, CliJob } from './cli.js';
import { settingsXml } from './command-line.js';
import {
  asSpelled,
  engineName,
  engineProperties,
  requireKnownOperators,
  requireXmlText,
} from './properties.js';
import type { LaunchRecords } from './records.js';

const Answer = z.object({ appId: z.string().refine(isApplicationId) });

/** What is kept of a launch. */
type Launched = RestartRequest &
  Pick<LaunchRequest, 'isSystemApp' | 'packageSource'> & { readonly credential?: string | undefined };

/** Launches by the engine's CLI, which runs the code of the application to learn its plan. */
export function createLauncher(deps: {
  readonly cli: Cli;
  readonly applications: YarnApplications;
  readonly records: LaunchRecords;
  readonly now: () => number;
  readonly logger: Logger;
  /** `host:port`, asked for each launch; `''`: applications are not told. */
  readonly gatewayAddress: () => string;
  readonly credentials: LaunchCredentials | undefined;
}): Launcher {
  const { cli, applications, records, logger } = deps;
  const names = createNameClaims(applications, records);

  /** What later questions need of a launch. It runs, whether that can be kept or not. */
  async function keep(appId: string, request: Launched): Promise<void> {
    const { isSystemApp = false, packageSource, user, credential } = request;
    const record = {
      user,
      launchedAt: deps.now(),
      isSystemApp,
      ...(credential === undefined ? {} : { credential }),
    };
    await Promise.all([
      credential === undefined ? undefined : deps.credentials?.bind(credential, appId),
      records.add(appId, { ...record, ...(packageSource ? { packageSource: { ...packageSource } } : {}) }),
    ]).catch((err: unknown) =>
      logger.error(
        { event: 'application.launch_not_saved', err, appId },
        'The record of a launch can not be kept',
      ),
    );
  }

  async function start(
    request: Launched,
    words: (job: CliJob) => Promise<readonly string[]>,
    options: CallOptions | undefined,
  ): Promise<string> {
    const answer = await cli.job(
      async (job) =>
        job.run(['launch', ...queueWords(request.queue), ...(await words(job))], options?.signal),
      options?.signal,
    );
    const told = Answer.safeParse(answer);
    if (!told.success) throw new UnusableAnswer("The engine's command line", 'did not tell the new id');
    const { appId } = told.data;
    await keep(appId, request);
    logger.info({ event: 'application.launched', appId, user: request.user }, 'Application launched');
    return appId;
  }

  async function requireEnded(appId: string, options: CallOptions | undefined): Promise<void> {
    const { report } = await applications.get(appId, options);
    if (!hasEnded(report))
      throw new Conflict(
        'APPLICATION_RUNNING',
        `${appId} has not ended (${report.state}): shut it down first`,
      );
  }

  return {
    async launch(request, options) {
      if (request.application) requireKnownOperators(request.application, request.properties ?? {});
      if (request.originalAppId !== undefined) await requireEnded(request.originalAppId, options);
      const gatewayAddress = deps.gatewayAddress();
      const plain = engineProperties({ gatewayAddress, request });
      const spelled = asSpelled(plain, request.spellings);
      requireXmlText(request, spelled);
      const release = await names.claim(request.user, engineName(request, plain), options);
      // The engine takes that of the original from the saved state, whatever it is told now.
      const inherited =
        request.originalAppId === undefined ? undefined : records.get(request.originalAppId)?.credential;
      const isNeeded = gatewayAddress !== '' && inherited === undefined;
      let credential: Credentials | undefined;
      try {
        credential = isNeeded ? await deps.credentials?.issue() : undefined;
        const secret = secretOf(credential);
        return await start(
          { ...request, credential: inherited ?? credential?.userName },
          async (job) => [
            ...(await settingWords(job, request.configContent, spelled, secret)),
            ...(request.originalAppId === undefined ? [] : ['-originalAppId', request.originalAppId]),
            ...(await sourceWords(job, request)),
          ],
          options,
        );
      } catch (error) {
        // One that came too late may run all the same, and stays a stranger.
        if (credential) await deps.credentials?.discard(credential.userName).catch(() => {});
        throw error;
      } finally {
        release();
      }
    },

    async restart(appId, request, options) {
      if (!isApplicationId(appId)) throw new NotFound('application', appId);
      requireNoProperties(request.properties);
      requireXmlText(request);
      await requireEnded(appId, options);
      const before = records.get(appId);
      const { isSystemApp, packageSource, credential } = before ?? {};
      return start(
        {
          ...request,
          // In the saved state too.
          credential,
          ...(isSystemApp === undefined ? {} : { isSystemApp }),
          ...(packageSource === undefined ? {} : { packageSource }),
        },
        // Nothing else: the engine takes the plan, its properties and the old address of the gateway from the saved state.
        async () => ['-originalAppId', appId],
        options,
      );
    },
  };
}

/** One application of a name and user at a time, those included that are being launched. */
function createNameClaims(applications: YarnApplications, records: LaunchRecords) {
  /** User and name of what is being launched. */
  const claimed = new Set<string>();
  const ownerOf = (id: string, user: string) => records.get(id)?.user ?? user;
  return {
    /** Resolves the function that lets go. */
    async claim(user: string, name: string, options: CallOptions | undefined): Promise<() => void> {
      const key = JSON.stringify([user, name]);
      const running = await applications.list({ ...options, activeOnly: true });
      const isTaken = running.some(
        ({ report }) => !hasEnded(report) && report.name === name && ownerOf(report.id, report.user) === user,
      );
      if (isTaken || claimed.has(key))
        throw new Conflict(
          'APPLICATION_NAME_TAKEN',
          `${user} already runs an application named ${JSON.stringify(name)}`,
        );
      claimed.add(key);
      return () => claimed.delete(key);
    },
  };
}

/** By which the application proves who it is. */
function secretOf(credential: Credentials | undefined): Record<string, string> {
  if (!credential) return {};
  return {
    'apex.attr.GATEWAY_USER_NAME': credential.userName,
    'apex.attr.GATEWAY_PASSWORD': credential.password,
  };
}

/** The engine would take them and forget them. */
function requireNoProperties(properties: Readonly<Record<string, string>> = {}): void {
  const names = Object.keys(properties);
  if (names.length > 0)
    throw new BadRequest(
      'LAUNCH_PROPERTY_REFUSED',
      `The engine restores an application as it was saved, and takes no properties for that: leave out ${names.slice(0, 5).join(', ')}, and change properties of operators when it runs`,
      names.map((name) => ({ path: `body.${name}`, message: 'can not be set at a restart' })),
    );
}

const queueWords = (queue: string | undefined) => (queue === undefined ? [] : ['-queue', queue]);

/**
 * In a file, where nothing has to be quoted; a configuration package takes that place, and is outdone word by word. What
 * proves who the application is never stands among words, which everybody on the machine can read.
 */
async function settingWords(
  job: CliJob,
  config: PackageContent | undefined,
  properties: Readonly<Record<string, string>>,
  secret: Readonly<Record<string, string>>,
): Promise<string[]> {
  if (!config) {
    await writeFile(job.path('launch.xml'), settingsXml({ ...properties, ...secret }), { mode: 0o600 });
    return ['-conf', job.path('launch.xml')];
  }
  await job.setUp(secret);
  await pipeline(config.archive(), owned(createWriteStream(job.path('config.apc'))));
  const words = Object.entries(properties).map(([name, value]) => `-D${name}=${value}`);
  return [...words, '-conf', job.path('config.apc')];
}

/** A package as it is, with the name of the application in it; a definition without one, as a file. */
async function sourceWords(job: CliJob, request: LaunchRequest): Promise<string[]> {
  const { packaged, packageContent, application } = request;
  if (packaged && packageContent) {
    await pipeline(packageContent.archive(), owned(createWriteStream(job.path('package.apa'))));
    return ['-exactMatch', job.path('package.apa'), packaged.name];
  }
  if (!application)
    throw new BadRequest(
      'APPLICATION_TYPE_NOT_SUPPORTED',
      'There is neither a definition of the application nor a package',
    );
  await writeFile(job.path('application.json'), JSON.stringify(application));
  return [job.path('application.json')];
}
