import type { Principal } from '../../http/principal.js';
import type { Identity } from '../../interfaces/auth.js';
import { asGatewayError } from '../../model/errors.js';
import type { AlertGroup } from './alert-groups.js';
import type { SnapshotNames, Snapshots } from './snapshots.js';

/** What one owner's conditions may read. */
interface OwnerShare {
  readonly group: AlertGroup;
  readonly user: Principal;
  readonly readable: SnapshotNames;
}

/**
 * Finds out who the owners of these alerts are now, and what their conditions may read. Those are left out who may do
 * nothing any more: `failed` is told why.
 */
export async function sharesOf(
  groups: readonly AlertGroup[],
  deps: {
    readonly principalOf: (identity: Identity) => Principal;
    readonly snapshots: Pick<Snapshots, 'namesFor'>;
    readonly failed: (group: AlertGroup, message: string) => void;
  },
): Promise<readonly OwnerShare[]> {
  const { principalOf, snapshots, failed } = deps;
  async function shareOf(group: AlertGroup): Promise<OwnerShare | undefined> {
    try {
      const user = principalOf(group.owner);
      return { group, user, readable: await snapshots.namesFor(user, group.topics) };
    } catch (error) {
      failed(group, asGatewayError(error).message);
      return undefined;
    }
  }
  return (await Promise.all(groups.map(shareOf))).filter((share) => share !== undefined);
}
