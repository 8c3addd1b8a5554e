import type { Permissions } from '../../core/acl.js';
import type { Collection } from '../../core/collection.js';
import type { CallOptions, PermissionStore } from '../../interfaces/cluster.js';
import { type Owned, permissionsByDefault } from './access.js';

/** Where permissions of applications are kept: with the cluster when it keeps them, else with the gateway. */
export interface AccessRules {
  read(app: Owned & { readonly id: string }, options?: CallOptions): Promise<Permissions>;
  write(appId: string, permissions: Permissions): Promise<void>;
  /** What was set; `undefined` when only the default holds. */
  explicit(appId: string, options?: CallOptions): Promise<Permissions | undefined>;
  /** As last read or written, for those who can't wait; `undefined` when that was never or long ago. */
  lastKnown(appId: string): Permissions | undefined;
}

/** Applications whose permissions are remembered. */
const maxKnown = 10_000;

export function createAccessRules(deps: {
  ofCluster: PermissionStore | undefined;
  kept: Collection<Permissions>;
}): AccessRules {
  const { ofCluster, kept } = deps;
  const known = new Map<string, Permissions>();
  /** Grows with each write: what was read before one is not remembered over it. */
  let writes = 0;

  function remember(appId: string, permissions: Permissions): void {
    known.delete(appId);
    known.set(appId, permissions);
    const oldest = known.keys().next().value;
    if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
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
    lastKnown: (appId) => known.get(appId),
  };
}
