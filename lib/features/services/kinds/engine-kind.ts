import type { ApplicationReport, ClusterDriver } from '../../../interfaces/cluster.js';
import { undefinedIfUnknown } from '../../../model/errors.js';
import { openSource } from '../../../runtime/source.js';
import type { PackageService } from '../../app-packages/service.js';
import type { LaunchingService } from '../../launching/service.js';
import type { ServiceLimits } from '../options.js';
import { createEngineApplications } from './engine-applications.js';
import type { ServiceKind, ServiceOrder } from './kind.js';

/** Packages of services belong to this in the package store: to no user, and a package each. */
const ownerOf = (service: string): string => `service:${service}`;
const serviceOf = (owner: string | undefined): string | undefined => /^service:(.+)$/.exec(owner ?? '')?.[1];

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

  return {
    check() {},

    requireReachable: async () => {
      await applications.active();
    },

    async install({ name, definition, installed, resolve }, { signal, onProgress }) {
      const srcUrl = await resolve(definition.srcUrl ?? '');
      if (installed?.srcUrl === srcUrl) return installed;
      const maxBytes = deps.maxPackageBytes;
      const { content } = await openSource(srcUrl, { signal, maxBytes, onProgress });
      try {
        const { value } = await deps.packages.upload(callOf(ownerOf(name), signal), content, 'replace');
        return { srcUrl, packageName: value.appPackageName, packageVersion: value.appPackageVersion };
      } finally {
        content.destroy();
      }
    },

    async start({ name, definition, installed, installedBy, resolve }, { signal }) {
      if (definition.type !== 'engine' || !installed) throw new TypeError('Not an installed engine service');
      await deps.requireUnlocked();
      const { appName, launchArgs } = definition.engine;
      const args = await Promise.all(
        Object.entries(launchArgs).map(async ([key, value]) => [key, await resolve(value)]),
      );
      const ref = {
        owner: ownerOf(name),
        name: installed.packageName,
        version: installed.packageVersion,
        appName,
      };
      const appId = await deps
        .launching()
        .launch(callOf(ref.owner, signal), ref, {}, Object.fromEntries(args), {
          user: installedBy,
          isSystemApp: true,
        });
      const report = await applications.report(appId, signal);
      return report
        ? applications.lifeOf(report, signal)
        : { id: appId, state: 'starting', startedTime: Date.now() };
    },

    stop: (_order, life, signal) => applications.end(life, limits.stopGraceMillis, signal),

    async remove({ name, installed }: ServiceOrder, life, signal) {
      await applications.end(life, 0, signal);
      if (!installed) return;
      const { packageName, packageVersion: version } = installed;
      await deps.packages
        .remove(callOf(ownerOf(name), signal), { owner: ownerOf(name), name: packageName, version })
        .catch(undefinedIfUnknown);
    },

    async look(lifeIds, outer) {
      const active = await applications.active(outer);
      const names = new Map([...lifeIds].flatMap(([name, id]) => (id === undefined ? [] : [[id, name]])));
      const found = new Map<string, ApplicationReport>();
      for (const report of active) {
        if (report.finalStatus !== 'UNDEFINED') continue;
        // By the package too: a launch whose id nobody had time to keep is found again.
        const name = names.get(report.id) ?? serviceOf(report.appPackageSource?.user);
        if (name !== undefined && lifeIds.has(name)) found.set(name, report);
      }
      const lives = [...lifeIds].map(async ([name, id]) => {
        const report =
          found.get(name) ?? (id === undefined ? undefined : await applications.report(id, outer));
        return report ? ([[name, await applications.lifeOf(report, outer)]] as const) : [];
      });
      return new Map((await Promise.all(lives)).flat());
    },
  };
}

/** The gateway itself, as the owner of that package. */
const callOf = (userName: string, signal: AbortSignal) => ({
  user: { userName, roles: [], permissions: new Set<never>(), isAdmin: false, identity: { userName } },
  signal,
});
