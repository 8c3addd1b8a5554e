import type { CallOptions } from '../../interfaces/call-options.js';
import type { Clock } from '../../interfaces/clock.js';
import type { PermissionStore } from '../../interfaces/cluster.js';
import type { Permissions } from '../../model/acl.js';
import { setNewest } from '../../runtime/lru.js';
import type { Collection } from '../../storage/collection.js';
import { type Owned, permissionsByDefault } from './access.js';

/** Where permissions of applications are kept: with the cluster when it keeps them, else with the gateway. */
export interface AccessRules {
  read(app: Owned & { readonly id: string }, options?: CallOptions): Promise<Permissions>;
  write(appId: string, permissions: Permissions): Promise<void>;
  /** What was set; `undefined` when only the default holds. */
  explicit(appId: string, options?: CallOptions): Promise<Permissions | undefined>;
  /** As last read or written, for those who can't wait; `undefined` when that was never or long ago. */
  lastKnown(appId: string): Permissions | undefined;
  /** Whether `lastKnown` is what holds: always of what only the gateway changes, else when it was read lately. */
  isKnown(appId: string): boolean;
}

/** Applications whose permissions are remembered. */
const maxKnown = 10_000;
/** What the cluster keeps, others may change beside the gateway. Milliseconds. */
const maxAgeOfClusters = 10_000;

export function createAccessRules(deps: {
  ofCluster: PermissionStore | undefined;
  kept: Collection<Permissions>;
  clock: Clock;
}): AccessRules {
  const { ofCluster, kept, clock } = deps;
  const known = new Map<string, { readonly permissions: Permissions; readonly since: number }>();
  /** Grows with each write: what was read before one is not remembered over it. */
  let writes = 0;

  function remember(appId: string, permissions: Permissions): void {
    setNewest(known, appId, { permissions, since: clock.monotonic() }, maxKnown);
  }

  const explicit = async (appId: string, options?: CallOptions) =>
    ofCluster ? ofCluster.read(appId, options) : (await kept.get(appId))?.value;

  async function write(appId: string, permissions: Permissions): Promise<void> {
    if (ofCluster) await ofCluster.write(appId, permissions);
    else await kept.put(appId, permissions);
    writes++;
    remember(appId, permissions);
  }

  return {
    async read(app, options) {
      const before = writes;
      try {
        const permissions = (await explicit(app.id, options)) ?? permissionsByDefault(app);
        if (writes === before) remember(app.id, permissions);
        return permissions;
      } catch (error) {
        known.delete(app.id);
        throw error;
      }
    },
    write,
    explicit,
    lastKnown: (appId) => known.get(appId)?.permissions,
    isKnown(appId) {
      const last = known.get(appId);
      return last !== undefined && (!ofCluster || clock.monotonic() - last.since < maxAgeOfClusters);
    },
  };
}
