import type { Principal } from '../../http/principal.js';
import type { Clock } from '../../interfaces/clock.js';
import type { ApplicationReport } from '../../interfaces/cluster.js';
import { accessByShare } from '../../model/acl.js';
import type { ActiveApplications, ApplicationSnapshot, ListedApplication } from '../../model/applications.js';
import { Conflict, DamagedDocument } from '../../model/errors.js';
import { mapLimited } from '../../runtime/map-limited.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import { accessByRight, seesAll } from './access.js';
import type { AccessRules } from './access-rules.js';
import { readsAtOnce } from './application-lookup.js';
import { listed, snapshotOf } from './detail.js';
import { type Directory, isWatcher } from './directory.js';
import { hasEnded } from './filter.js';

/** What topics read. */
export interface LiveViews {
  /** Applications that have not ended. */
  active(): Promise<ActiveApplications>;
  /** As it ended; `undefined` when nobody knows it any more. Rejects while it has not. */
  ended(appId: string): Promise<ListedApplication | undefined>;
  /** The part of `all` that this user may see; `all` itself when that is everything. */
  activeFor(user: Principal, all: ActiveApplications): ActiveApplications;
  /**
   * Everybody may watch the list. For who sees some of it only because it is shared, what is shared is read from now on; it is
   * waited for, but not for long.
   */
  mayWatchList(user: Principal): Promise<boolean> | boolean;
  /** Ids of those that have not ended and whose topics `mayWatch` would let this user read. */
  watchable(user: Principal): Promise<readonly string[]>;
  /** `undefined` for an application that is unknown. */
  snapshot(appId: string, signal: AbortSignal): Promise<ApplicationSnapshot | undefined>;
}

/** Readings of one tick's topics that lie at most so many milliseconds apart share a call to the cluster. */
const tickAge = 500;

/** How long shares are read after somebody was there who needs them, and how long they are waited for at first, milliseconds. */
const shares = { wanted: 10_000, awaited: 2000 };

export function createLiveViews(deps: { directory: Directory; rules: AccessRules; clock: Clock }): LiveViews {
  const { directory, rules, clock } = deps;
  /** When somebody was there last who sees applications only because they are shared: reading that of each costs a call to the cluster. */
  let sharesWantedAt = -Infinity;

  async function readShares(reports: readonly ApplicationReport[]): Promise<void> {
    const unknown = reports.filter(({ id }) => !rules.isKnown(id));
    await mapLimited(unknown, readsAtOnce, (report) => rules.read(report).catch(unlessDamaged));
  }

  return {
    async active() {
      const reports = await directory.active(tickAge);
      // Views are made without waiting: what they need to know is read here.
      if (clock.monotonic() - sharesWantedAt < shares.wanted) await readShares(reports);
      return { apps: reports.map(listed) };
    },

    mayWatchList(user) {
      if (seesAll(user)) return true;
      sharesWantedAt = clock.monotonic();
      return withTimeout(shares.awaited, 'What is shared', undefined, async () =>
        readShares(await directory.active(tickAge)),
      ).then(always, always);
    },

    async ended(appId) {
      const report = await directory.report(appId, tickAge);
      if (report && !hasEnded(report))
        throw new Conflict('APPLICATION_RUNNING', `The application ${appId} has not ended`);
      return report && listed(report);
    },

    activeFor(user, all) {
      if (user.isAdmin) return all;
      const apps = all.apps.filter((app) => {
        if (accessByRight(user, app) !== 'none') return true;
        sharesWantedAt = clock.monotonic();
        const granted = rules.lastKnown(app.id);
        return granted !== undefined && accessByShare(user, granted) !== 'none';
      });
      return apps.length === all.apps.length ? all : { apps };
    },

    async watchable(user) {
      const reports = await directory.active(tickAge);
      return reports.flatMap((app) => (isWatcher(user, app) ? [app.id] : []));
    },

    async snapshot(appId, signal) {
      const report = await directory.report(appId, tickAge);
      return report && snapshotOf(report, await directory.infoOf(appId, signal));
    },
  };
}

const always = (): boolean => true;

/** Without its permissions an application is shown to those who need none. */
function unlessDamaged(error: unknown): void {
  if (!(error instanceof DamagedDocument)) throw error;
}
