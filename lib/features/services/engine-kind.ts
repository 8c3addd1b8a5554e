import { setTimeout as delay } from 'node:timers/promises';
import type { ApplicationReport, ClusterDriver } from '../../interfaces/cluster.js';
import { Conflict, ContainerFailed, NotFound, undefinedIfUnknown } from '../../model/errors.js';
import { openSource } from '../../runtime/source.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import type { PackageService } from '../app-packages/service.js';
import type { LaunchingService } from '../launching/service.js';
import { createApplicationMetadata } from './application-metadata.js';
import type { Life, ServiceKind, ServiceOrder } from './kind.js';
import type { ServiceLimits } from './options.js';

/** What packages of services belong to in the package store: no user, and a package each. */
const ownerOf = (service: string): string => `service:${service}`;
const serviceOf = (owner: string | undefined): string | undefined => /^service:(.+)$/.exec(owner ?? '')?.[1];

/** Milliseconds between two looks at an application that is about to end. */
const lookMillis = 200;

/** Services that are applications of the cluster, launched like any other. */
export function createEngineKind(deps: {
  readonly cluster: ClusterDriver;
  readonly packages: () => Pick<PackageService, 'upload' | 'remove'>;
  readonly launching: () => Pick<LaunchingService, 'launch'>;
  readonly limits: ServiceLimits;
  /** Rejects while the license is locked. */
  readonly requireUnlocked: () => Promise<void> | void;
  /** Bytes of a package. */
  readonly maxPackageBytes: number;
}): ServiceKind {
  const { cluster, limits } = deps;
  const metadata = createApplicationMetadata({ cluster, limits });
  const manager = <T>(outer: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>) =>
    withTimeout(limits.askMillis, 'The resource manager', outer, work);

  const reportOf = (appId: string, outer: AbortSignal) =>
    manager(outer, (signal) => cluster.resourceManager.getApplication(appId, { signal })).catch(
      undefinedIfUnknown,
    );

  async function lifeOf(report: ApplicationReport, signal: AbortSignal): Promise<Life> {
    const { id, startedTime, allocatedMB } = report;
    if (report.finalStatus !== 'UNDEFINED') {
      metadata.forget(id);
      const why = report.diagnostics === '' ? '' : `: ${report.diagnostics.slice(0, 500)}`;
      return {
        id,
        state: 'ended',
        startedTime,
        reason: `The application ${id} ended (${report.state})${why}`,
      };
    }
    if (report.state !== 'RUNNING') return { id, state: 'starting', startedTime };
    return {
      id,
      state: 'running',
      startedTime,
      memoryMB: Math.max(0, allocatedMB),
      metadata: await metadata.of(id, signal),
    };
  }

  async function end(life: Life | undefined, graceMillis: number, signal: AbortSignal): Promise<void> {
    if (!life || life.state === 'ended') return;
    const { id } = life;
    const hasEnded = async () => ((await reportOf(id, signal))?.finalStatus ?? 'FAILED') !== 'UNDEFINED';
    const comesTrue = async (millis: number) => {
      for (const until = performance.now() + millis; performance.now() < until; ) {
        if (await hasEnded()) return true;
        await delay(lookMillis, undefined, { signal });
      }
      return hasEnded();
    };
    if (graceMillis > 0) {
      await withTimeout(limits.askMillis, `The master of ${id}`, signal, async (limited) => {
        const master = await cluster.master(id, { signal: limited });
        await master.shutdown({ signal: limited });
      }).catch(() => {});
      if (await comesTrue(graceMillis)) return;
    }
    await manager(signal, (limited) => cluster.resourceManager.kill(id, { signal: limited })).catch(
      unlessOver,
    );
    if (!(await comesTrue(limits.readyMillis)))
      throw new ContainerFailed(`The application ${id} does not end`);
  }

  return {
    check() {},

    requireReachable: async () => {
      await manager(undefined, (signal) =>
        cluster.resourceManager.listApplications({ signal, activeOnly: true }),
      );
    },

    async install({ name, definition, installed, resolve }, { signal, onProgress }) {
      const srcUrl = await resolve(definition.srcUrl ?? '');
      if (installed?.srcUrl === srcUrl) return installed;
      const maxBytes = deps.maxPackageBytes;
      const { content } = await openSource(srcUrl, { signal, maxBytes, onProgress });
      try {
        const { value } = await deps.packages().upload(callOf(ownerOf(name), signal), content, 'replace');
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
      const report = await reportOf(appId, signal);
      return report ? lifeOf(report, signal) : { id: appId, state: 'starting', startedTime: Date.now() };
    },

    stop: (_order, life, signal) => end(life, limits.stopGraceMillis, signal),

    async remove({ name, installed }: ServiceOrder, life, signal) {
      await end(life, 0, signal);
      if (!installed) return;
      const { packageName, packageVersion: version } = installed;
      await deps
        .packages()
        .remove(callOf(ownerOf(name), signal), { owner: ownerOf(name), name: packageName, version })
        .catch(undefinedIfUnknown);
    },

    async look(lifeIds, outer) {
      const active = await manager(outer, (signal) =>
        cluster.resourceManager.listApplications({ signal, activeOnly: true }),
      );
      const names = new Map([...lifeIds].flatMap(([name, id]) => (id === undefined ? [] : [[id, name]])));
      const found = new Map<string, ApplicationReport>();
      for (const report of active) {
        if (report.finalStatus !== 'UNDEFINED') continue;
        // By the package too: a launch whose id nobody had time to keep is found again.
        const name = names.get(report.id) ?? serviceOf(report.appPackageSource?.user);
        if (name !== undefined && lifeIds.has(name)) found.set(name, report);
      }
      const lives = [...lifeIds].map(async ([name, id]) => {
        const report = found.get(name) ?? (id === undefined ? undefined : await reportOf(id, outer));
        return report ? ([[name, await lifeOf(report, outer)]] as const) : [];
      });
      return new Map((await Promise.all(lives)).flat());
    },
  };
}

/** The gateway itself, as the owner of that package. */
const callOf = (userName: string, signal: AbortSignal) => ({
  user: { userName, roles: [], permissions: new Set<never>(), isAdmin: false, identity: { userName } },
  signal,
  caller: { headers: {}, remoteAddress: '', raw: undefined },
});

function unlessOver(error: unknown): void {
  if (!(error instanceof Conflict || error instanceof NotFound)) throw error;
}
