import type { ClusterDriver } from '../../../interfaces/cluster.js';
import type { PackageService } from '../../app-packages/service.js';
import type { LaunchingService } from '../../launching/service.js';
import type { ServiceLimits } from '../options.js';
import { createEngineApplications } from './engine-applications.js';
import { createEnginePackages, gatewayFor, packageOwnerOf } from './engine-packages.js';
import type { Resolve, ServiceKind } from './kind.js';
import { runningAs } from './running-as.js';

/** Services that are applications of the cluster, launched like any other. */
export function createEngineKind(deps: {
  readonly cluster: ClusterDriver;
  readonly packages: Pick<PackageService, 'upload' | 'remove'>;
  readonly launching: () => Pick<LaunchingService, 'launch'>;
  readonly limits: ServiceLimits;
  /** Rejects while the license is locked. */
  readonly requireUnlocked: () => Promise<void> | void;
  /** A package has so many bytes at most. */
  readonly maxPackageBytes: number;
}): ServiceKind {
  const { limits } = deps;
  const applications = createEngineApplications(deps.cluster, limits);
  const packages = createEnginePackages(deps.packages, deps.maxPackageBytes);

  return {
    check() {},

    requireReachable: async () => {
      await applications.active();
    },

    async install({ name, definition, installed, resolve }, work) {
      const srcUrl = await resolve(definition.srcUrl ?? '');
      return installed?.srcUrl === srcUrl ? installed : packages.fetch(name, srcUrl, work);
    },

    async start({ name, definition, installed, installedBy, resolve }, { signal }) {
      if (definition.type !== 'engine' || !installed) throw new TypeError('Not an installed engine service');
      await deps.requireUnlocked();
      const { packageName, packageVersion: version } = installed;
      const ref = {
        owner: packageOwnerOf(name),
        name: packageName,
        version,
        appName: definition.engine.appName,
      };
      const properties = await resolved(definition.engine.launchArgs, resolve);
      const as = { user: installedBy, isSystemApp: true };
      const appId = await deps.launching().launch(gatewayFor(name, signal), ref, {}, properties, as);
      const report = await applications.report(appId, signal);
      return report
        ? applications.lifeOf(report, signal)
        : { id: appId, state: 'starting', startedTime: Date.now() };
    },

    stop: (_order, life, signal) => applications.end(life, limits.stopGraceMillis, signal),

    async remove({ name, installed }, life, signal) {
      await applications.end(life, 0, signal);
      if (installed) await packages.remove(name, installed, signal);
    },

    async look(lifeIds, signal) {
      const running = runningAs(await applications.active(signal), lifeIds);
      const lives = [...lifeIds].map(async ([name, id]) => {
        const report =
          running.get(name) ?? (id === undefined ? undefined : await applications.report(id, signal));
        return report ? ([[name, await applications.lifeOf(report, signal)]] as const) : [];
      });
      return new Map((await Promise.all(lives)).flat());
    },
  };
}

const resolved = async (values: Readonly<Record<string, string>>, resolve: Resolve) =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(values).map(async ([name, value]) => [name, await resolve(value)] as const),
    ),
  );
