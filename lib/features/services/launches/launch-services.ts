import { may } from '../../../http/principal.js';
import type { Call } from '../../../http/route.js';
import type { Logger } from '../../../interfaces/logger.js';
import { ContainerFailed, Forbidden, TimedOut } from '../../../model/errors.js';
import type { PackageServices } from '../../app-packages/schema.js';
import type { Installation } from '../installation.js';
import type { NamedService } from '../schema.js';
import type { Supervisors } from '../supervision/supervisors.js';
import type { Dependents } from './dependents.js';
import { type LaunchPlan, planFromPackage, planWithoutPackage } from './launch-plan.js';

/** Services that applications need. */
export interface LaunchServices {
  /**
   * Installs what is not there, and starts what has to run before the launch. Rejects with `BadRequest` for what can't be
   * had, with `Forbidden` for what the caller may not install, with `ContainerFailed` or `TimedOut` when it does not run.
   */
  before(call: Call, app: LaunchedApp): Promise<AroundLaunch>;
}

interface LaunchedApp {
  readonly appName: string;
  readonly declared: PackageServices | undefined;
  /** Nothing is declared any more: the services of this one are needed, as far as they are there. */
  readonly likeApp?: string;
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

const nothingNeeded: AroundLaunch = { launched: async () => {}, failed: async () => {} };

/** Services that an application needs, around its launch. */
export function createLaunchServices(deps: LaunchDeps): LaunchServices {
  const { supervisors, dependents, logger } = deps;

  /** The application runs, so its id is told whatever becomes of its services. */
  const keepNeeds = (appId: string, appName: string, user: string, services: readonly string[]) =>
    dependents
      .add(appId, { appName, user, services: [...services] })
      .catch((err) =>
        logger.error(
          { event: 'service.requirements_not_saved', appId, err },
          'the services that an application needs can not be kept',
        ),
      );

  function startLate(appId: string, appName: string, names: readonly string[]): void {
    for (const service of names)
      bringUp(supervisors, service, appName, new AbortController().signal).catch((err) => {
        logger.warn(
          { event: 'service.required_start_failed', service, appId, err },
          'a service that an application needs did not come up',
        );
      });
  }

  return {
    async before(call, app) {
      const { appName } = app;
      const user = call.user.userName;
      const plan = planFor(app, supervisors, dependents);
      if (plan.names.length === 0) return nothingNeeded;
      // Before anything is waited for: whatever else ends meanwhile, they stay.
      const reserved = dependents.reserve(plan.names);
      let installed: readonly NamedService[] = [];
      const giveUp = () => {
        reserved.release();
        return deps.removeTransient(installed.map(({ name }) => name));
      };
      try {
        if (plan.canInstall) installed = await missingOf(plan, call, deps);
        const by = { installedBy: user, at: 'services', isTransient: plan.isTransient };
        await deps.installation.installAll(installed, by);
        for (const name of plan.early) await bringUp(supervisors, name, appName, call.signal);
      } catch (error) {
        await giveUp();
        throw error;
      }
      return {
        async launched(appId) {
          await keepNeeds(appId, appName, user, plan.names);
          reserved.release();
          startLate(appId, appName, plan.late);
        },
        failed: giveUp,
      };
    },
  };
}

function planFor(
  { appName, declared, likeApp }: LaunchedApp,
  supervisors: Supervisors,
  dependents: Dependents,
): LaunchPlan {
  // One that is going comes back as the package says: what it needs now does not count.
  const stays = (name: string) => (supervisors.get(name)?.stored.state ?? 'REMOVING') !== 'REMOVING';
  const present = new Map([...supervisors.needs()].filter(([name]) => stays(name)));
  if (likeApp === undefined) return planFromPackage(appName, declared, present);
  return planWithoutPackage(appName, dependents.servicesBefore(likeApp).filter(stays), present);
}

/** Waits for those that are about to go, which can't be had any more, and resolves what is missing then. */
async function missingOf(
  plan: LaunchPlan,
  call: Call,
  { supervisors, launchesInstallServices }: Pick<LaunchDeps, 'supervisors' | 'launchesInstallServices'>,
): Promise<readonly NamedService[]> {
  for (const name of plan.names) {
    const supervisor = supervisors.get(name);
    await supervisor?.kept();
    if (supervisor?.stored.state === 'REMOVING') await supervisors.gone(supervisor, call.signal);
  }
  const missing = plan.names.filter((name) => !supervisors.get(name)).map(plan.definitionOf);
  if (!launchesInstallServices) for (const service of missing) requireMayInstall(call, service);
  return missing;
}

async function bringUp(supervisors: Supervisors, name: string, appName: string, signal: AbortSignal) {
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

/** What runs programs on this host, or is reached from here by all who are logged in, is not for everybody who may launch. */
function requireMayInstall(call: Call, service: NamedService): void {
  if (may(call.user, 'EDIT_GLOBAL_CONFIG')) return;
  throw new Forbidden(
    `The package brings the service ${service.name}, which is not installed: installing it needs the permission EDIT_GLOBAL_CONFIG`,
  );
}
