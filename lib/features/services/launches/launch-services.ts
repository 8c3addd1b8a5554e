import { z } from 'zod';
import { may } from '../../../http/principal.js';
import type { Call } from '../../../http/route.js';
import { wording } from '../../../http/validate.js';
import type { Logger } from '../../../interfaces/logger.js';
import { BadRequest, ContainerFailed, Forbidden, TimedOut } from '../../../model/errors.js';
import { Flag } from '../../../model/inputs.js';
import type { PackageServices } from '../../app-packages/schema.js';
import { allNeeded, circleIn } from '../definition/dependency-graph.js';
import type { Installation } from '../installation.js';
import { NamedService } from '../schema.js';
import type { Supervisors } from '../supervision/supervisors.js';
import type { Dependents } from './dependents.js';

/** How an application says what it needs: `docs/decisions.md`, Services that an application needs. */
const Requirement = z.looseObject({
  name: z.string(),
  requiredBeforeLaunch: Flag.default(false),
  transient: Flag.default(false),
});
type Requirement = z.output<typeof Requirement>;

/** Services that applications need. */
export interface LaunchServices {
  /**
   * Installs what is not there, and starts what has to run before the launch. Rejects with `BadRequest` for what can't be
   * had, with `Forbidden` for what the caller may not install, with `ContainerFailed` or `TimedOut` when it does not run.
   */
  before(
    call: Call,
    app: {
      readonly appName: string;
      readonly declared: PackageServices | undefined;
      /** Nothing is declared any more: the services of this one are needed, as far as they are there. */
      readonly likeApp?: string;
    },
  ): Promise<AroundLaunch>;
}

/** What is done for an application once its launch is over, one way or the other. */
export interface AroundLaunch {
  /** The others are started; all are noted as needed by this application. Never rejects. */
  launched(appId: string): Promise<void>;
  /** There will be no application: what was installed only for it goes. */
  failed(): Promise<void>;
}

interface LaunchDeps {
  readonly supervisors: Supervisors;
  readonly dependents: Dependents;
  readonly installation: Installation;
  readonly removeTransient: (names: readonly string[]) => Promise<void>;
  readonly launchesInstallServices: boolean;
  readonly logger: Logger;
}

/** Services that an application needs, around its launch. */
export function createLaunchServices(deps: LaunchDeps): LaunchServices {
  const { supervisors, dependents, logger } = deps;

  const requirementsLike = (appId: string): readonly Requirement[] =>
    dependents
      .servicesBefore(appId)
      .filter((name) => {
        const supervisor = supervisors.get(name);
        return supervisor && supervisor.stored.state !== 'REMOVING';
      })
      .map((name) => ({ name, requiredBeforeLaunch: false, transient: false }));

  return {
    async before(call, { appName, declared, likeApp }) {
      const requirements =
        likeApp === undefined ? requirementsOf(declared, appName) : requirementsLike(likeApp);
      if (requirements.length === 0) return { launched: async () => {}, failed: async () => {} };
      const defined = definitionsIn(declared, requirements);
      const needs = new Map<string, readonly string[]>([
        ...[...defined].map(([name, { requiredServices }]) => [name, requiredServices] as const),
        // One that is going comes back as the package says.
        ...[...supervisors.needs()].filter(([name]) => supervisors.get(name)?.stored.state !== 'REMOVING'),
      ]);
      const names = allNeeded(
        requirements.map(({ name }) => name),
        needs,
      );
      const circle = circleIn(new Map(names.map((name) => [name, needs.get(name) ?? []])));
      if (circle)
        throw new BadRequest(
          'SERVICE_CIRCLE',
          `Services of ${appName} go round in a circle: ${circle.join(' needs ')}`,
        );
      const lasting = new Set(
        allNeeded(
          requirements.filter(({ transient }) => !transient).map(({ name }) => name),
          needs,
        ),
      );
      const early = requirements.filter(({ requiredBeforeLaunch }) => requiredBeforeLaunch);
      const user = call.user.userName;

      // Before anything is waited for: whatever else ends meanwhile, they stay.
      const reserved = dependents.reserve(names);
      let installed: readonly string[] = [];
      const giveUp = () => {
        reserved.release();
        return deps.removeTransient(installed);
      };
      try {
        // Without a package nothing comes in its place.
        if (likeApp === undefined) for (const name of names) await untilRemoved(name, call.signal);
        const missing = names.filter((name) => !supervisors.get(name));
        const fresh =
          likeApp === undefined ? missing.map((name) => definitionOf(defined, name, appName)) : [];
        if (!deps.launchesInstallServices) for (const service of fresh) requireMayInstall(call, service);
        installed = fresh.map(({ name }) => name);
        await deps.installation.installAll(fresh, {
          installedBy: user,
          at: 'services',
          isTransient: (name) => !lasting.has(name),
        });
        for (const { name } of early) await bringUp(name, appName, call.signal);
      } catch (error) {
        await giveUp();
        throw error;
      }
      const late = requirements.filter(({ name }) => !early.some((other) => other.name === name));
      return {
        async launched(appId) {
          await dependents
            .add(appId, { appName, user, services: [...names] })
            // The application runs, so its id is told.
            .catch((err) =>
              logger.error(
                { event: 'service.requirements_not_saved', appId, err },
                'the services that an application needs can not be kept',
              ),
            )
            .finally(reserved.release);
          for (const { name } of late) {
            bringUp(name, appName, new AbortController().signal).catch((err) => {
              logger.warn(
                { event: 'service.required_start_failed', service: name, appId, err },
                'a service that an application needs did not come up',
              );
            });
          }
        },
        failed: giveUp,
      };
    },
  };

  /** One that is about to go can't be had any more: it is installed anew. */
  async function untilRemoved(name: string, signal: AbortSignal): Promise<void> {
    const supervisor = supervisors.get(name);
    await supervisor?.kept();
    if (supervisor?.stored.state === 'REMOVING') await supervisors.gone(supervisor, signal);
  }

  async function bringUp(name: string, appName: string, signal: AbortSignal): Promise<void> {
    const supervisor = supervisors.get(name);
    if (!supervisor) throw new ContainerFailed(`${appName} needs the service ${name}, which was deleted`);
    try {
      await supervisors.bringUp(supervisor, signal);
    } catch (error) {
      if (error instanceof TimedOut)
        throw new TimedOut(`The service ${name}, which ${appName} needs before its launch,`);
      throw error;
    }
  }
}

function requirementsOf(declared: PackageServices | undefined, appName: string): readonly Requirement[] {
  const found = declared?.applications.find(({ name }) => name === appName)?.requiredServices ?? [];
  return found.map((entry) => {
    const read = Requirement.safeParse(entry);
    if (read.success) return read.data;
    throw badDeclaration(entry.name, read.error);
  });
}

/** An application may say more of a service than the list of services does. */
function definitionsIn(
  declared: PackageServices | undefined,
  requirements: readonly Requirement[],
): ReadonlyMap<string, NamedService> {
  const entries = new Map<string, Record<string, unknown>>();
  for (const service of declared?.services ?? []) entries.set(service.name, service);
  for (const { requiredBeforeLaunch: _, transient: __, ...more } of requirements) {
    const before = entries.get(more.name);
    if (before || Object.keys(more).length > 1) entries.set(more.name, { ...before, ...more });
  }
  return new Map(
    [...entries].map(([name, entry]) => {
      const read = NamedService.safeParse(entry, wording);
      if (read.success) return [name, read.data];
      throw badDeclaration(name, read.error);
    }),
  );
}

function definitionOf(
  defined: ReadonlyMap<string, NamedService>,
  name: string,
  appName: string,
): NamedService {
  const found = defined.get(name);
  if (found) return found;
  throw new BadRequest(
    'SERVICE_MISSING',
    `${appName} needs the service ${name}: it is not installed, and resources/services.json of the package does not define it`,
  );
}

const badDeclaration = (name: string, error: z.ZodError) =>
  new BadRequest(
    'PACKAGE_FILE_NOT_VALID',
    `resources/services.json: the service ${name} can't be used: ${error.issues
      .map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '))
      .join('; ')}`,
  );

/** What runs programs on this host, or is reached from here by all who are logged in, is not for everybody who may launch. */
function requireMayInstall(call: Call, service: NamedService): void {
  if (may(call.user, 'EDIT_GLOBAL_CONFIG')) return;
  throw new Forbidden(
    `The package brings the service ${service.name}, which is not installed: installing it needs the permission EDIT_GLOBAL_CONFIG`,
  );
}
