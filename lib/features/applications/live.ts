import type { Permissions } from '../../core/acl.js';
import { mapLimited } from '../../core/map-limited.js';
import type { Principal } from '../../core/principal.js';
import { accessByRight, accessByShare } from './access.js';
import type { AccessRules } from './access-rules.js';
import { listed, snapshotOf } from './detail.js';
import { type Directory, readsAtOnce } from './directory.js';
import type { ActiveApplications, ApplicationSnapshot } from './schema.js';

/** What topics read. */
export interface LiveViews {
  /** Applications that have not ended. */
  active(): Promise<ActiveApplications>;
  /** The part of `all` that this user may see; `all` itself when that is everything. */
  activeFor(user: Principal, all: ActiveApplications): ActiveApplications;
  /** `undefined` for an application that is unknown. */
  snapshot(appId: string, signal: AbortSignal): Promise<ApplicationSnapshot | undefined>;
}

/** Readings of one tick's topics that lie at most so many milliseconds apart share a call to the cluster. */
const tickAge = 500;

export function createLiveViews(deps: { directory: Directory; rules: AccessRules }): LiveViews {
  const { directory, rules } = deps;
  /** Permissions as they were when `all` was read: views are made without waiting. */
  const permissionsOf = new WeakMap<ActiveApplications, ReadonlyMap<string, Permissions>>();

  return {
    async active() {
      const reports = await directory.active(tickAge);
      const all = { apps: reports.map(listed) };
      const permissions = await mapLimited(
        reports,
        readsAtOnce,
        async (report) => [report.id, await rules.read(report)] as const,
      );
      permissionsOf.set(all, new Map(permissions));
      return all;
    },

    activeFor(user, all) {
      if (user.isAdmin) return all;
      const permissions = permissionsOf.get(all);
      const apps = all.apps.filter((app) => {
        if (accessByRight(user, app) !== 'none') return true;
        const granted = permissions?.get(app.id);
        return granted !== undefined && accessByShare(user, granted) !== 'none';
      });
      return apps.length === all.apps.length ? all : { apps };
    },

    async snapshot(appId, signal) {
      const report = await directory.report(appId, tickAge);
      return report && snapshotOf(report, await directory.infoOf(appId, signal));
    },
  };
}
