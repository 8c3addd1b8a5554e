import {
  BadRequest,
  type CallOptions,
  Conflict,
  type Credentials,
  type Launcher,
  NotFound,
} from 'headgate/driver-kit';
import { hasEnded, type YarnApplications } from '../manager/applications.js';
import { isApplicationId } from '../wire/ids.js';
import { settingWords, sourceWords } from './launch-words.js';
import { createNameClaims } from './name-claims.js';
import {
  asSpelled,
  engineName,
  engineProperties,
  requireKnownOperators,
  requireXmlText,
} from './properties.js';
import { createSubmission, type SubmissionDeps } from './submission.js';

interface LauncherDeps extends SubmissionDeps {
  readonly applications: YarnApplications;
  /** `host:port`, asked for each launch; `''`: applications are not told. */
  readonly gatewayAddress: () => string;
}

/** Launches by the engine's CLI, which runs the code of the application to learn its plan. */
export function createLauncher(deps: LauncherDeps): Launcher {
  const { applications, records } = deps;
  const names = createNameClaims(applications, records);
  const submit = createSubmission(deps);

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
        return await submit(
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
      return submit(
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
