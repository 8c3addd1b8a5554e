import type { Call } from '../../http/route.js';
import { check } from '../../http/validate.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { LaunchRequest } from '../../interfaces/launcher.js';
import type { OwnDefaults, Permissions } from '../../model/acl.js';
import { BadRequest } from '../../model/errors.js';
import { noSql } from '../../model/sql-application.js';
import type { Timeouts } from '../../model/timeouts.js';
import type { AppRef } from '../app-packages/schema.js';
import type { LaunchableApplication, PackageService } from '../app-packages/service.js';
import type { ApplicationService } from '../applications/service.js';
import type { ConfigPackageService } from '../config-packages/service.js';
import type { PropertyService } from '../properties/service.js';
import type { LaunchServices } from '../services/service.js';
import { createBoundedLauncher } from './bounded-launcher.js';
import { createPlanning, type Planning } from './planning.js';
import {
  configPackageRef,
  type LaunchedAs,
  type LaunchSources,
  requestOf,
  targetOf,
  withReason,
} from './request.js';
import { servicesForRestart } from './restart-services.js';
import { createSampling, type Sampling } from './sampling.js';
import { HostLaunch, type LaunchQuery, type RestartQuery } from './schema.js';

/** New applications: of a package, of an ended one, of the host. */
export interface LaunchingService {
  /**
   * Resolves the id. Rejects with `BadRequest` naming all required properties that nobody gave, and with what
   * `Launcher.launch` rejects with. The package stays what it is until the launch is over. An application whose state it
   * goes on from has to be the caller's to change; rejects with `Conflict` when that one has not ended.
   */
  launch(
    call: Call,
    ref: AppRef,
    query: LaunchQuery,
    properties: Readonly<Record<string, string>>,
    /** Of a launch that the gateway itself does for somebody. Default: the caller's own. */
    as?: LaunchedAs,
  ): Promise<string>;
  /** Resolves the new id. Rejects with `Conflict` while the application runs. */
  restart(
    call: Call,
    appId: string,
    query: RestartQuery,
    properties?: Readonly<Record<string, string>>,
  ): Promise<string>;
  readonly sample: Sampling;
  readonly plan: Planning;
  /** For the host's own code; resolves the new id. Rejects with `InvalidInput` naming what does not fit. */
  launchForHost(request: HostLaunch): Promise<string>;
}

export function createLaunchingService(deps: {
  readonly packages: Pick<PackageService, 'lending' | 'servicesOf'>;
  readonly applications: Pick<ApplicationService, 'endedToChange' | 'share'>;
  readonly configPackages: Pick<ConfigPackageService, 'choosing'>;
  readonly services: LaunchServices;
  readonly properties: Pick<PropertyService, 'forLaunch'>;
  readonly cluster: ClusterDriver;
  readonly ownDefaults: OwnDefaults;
  readonly timeouts: Timeouts;
}): LaunchingService {
  const { packages, applications, configPackages, services, cluster, ownDefaults } = deps;

  const launcher = createBoundedLauncher(cluster, deps.timeouts.launchMillis);

  async function start(request: LaunchRequest, shared: Permissions | undefined): Promise<string> {
    const appId = await launcher.launch(request);
    await applications.share(appId, shared);
    return appId;
  }

  /** The new one is shared like the one that it goes on from. */
  const sharedLike = async (call: Call, { user, originalAppId }: LaunchRequest) =>
    originalAppId === undefined
      ? ownDefaults(user)
      : ((await applications.endedToChange(call, originalAppId)).shared ??
        (await ownDefaults(call.user.userName)));

  async function launch(call: Call, app: LaunchableApplication, from: Omit<LaunchSources, 'site'>) {
    const request = await requestOf(app, { ...from, site: deps.properties });
    if (request.sql && !cluster.resourceManager.launcher?.checkSql)
      throw new BadRequest('APPLICATION_TYPE_NOT_SUPPORTED', noSql(cluster.name));
    const around = await services.before(call, { appName: from.ref.appName, declared: app.services });
    try {
      const appId = await start(request, await sharedLike(call, request));
      await around.launched(appId);
      return appId;
    } catch (error) {
      await around.failed();
      throw await withReason(error, app, request, cluster.name);
    }
  }

  return {
    launch: (call, ref, query, properties, as = { user: call.user.userName }) =>
      packages.lending(call, ref, query.config, (app) => {
        const given = { ref, query, properties, as };
        if (query.configPackage === undefined) return launch(call, app, given);
        return configPackages.choosing(
          call,
          configPackageRef(query.configPackage),
          targetOf(ref, app),
          (configPackage) => launch(call, app, { ...given, configPackage }),
        );
      }),

    sample: createSampling(deps),
    plan: createPlanning(deps),

    async restart(call, appId, query, properties) {
      const { report, shared } = await applications.endedToChange(call, appId);
      const permissions = shared ?? (await ownDefaults(call.user.userName));
      const around = await servicesForRestart(deps, call, report);
      const request = { user: call.user.userName, ...query, ...(properties ? { properties } : {}) };
      const newId = await launcher.restart(appId, request).catch(async (error) => {
        await around.failed();
        throw error;
      });
      // Neither waits for the other: the permissions may lie on a file system that stands still.
      await Promise.all([applications.share(newId, permissions), around.launched(newId)]);
      return newId;
    },

    async launchForHost(request) {
      const checked = check(HostLaunch, request, 'body');
      return start(checked, await ownDefaults(checked.user));
    },
  };
}
