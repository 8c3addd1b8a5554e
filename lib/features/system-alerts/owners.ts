import type { Principal } from '../../http/principal.js';
import type { StoredAlert } from './stored.js';

/** What of a caller says what he may when he is not here: all but the session. */
export const ownerOf = ({ userName, identity }: Principal): StoredAlert['owner'] => ({
  userName,
  ...(identity.groups === undefined ? {} : { groups: [...identity.groups] }),
  ...(identity.roles === undefined ? {} : { roles: [...identity.roles] }),
  ...(identity.scope === undefined ? {} : { scope: [...identity.scope] }),
});

/** By owner, and by what tokens take away from him. Who has several alerts is who he was when he saved the last of them. */
export function byOwner<A extends { readonly alert: StoredAlert }>(
  all: readonly A[],
): { readonly owner: StoredAlert['owner']; readonly alerts: readonly A[] }[] {
  const owners = new Map<string, A[]>();
  for (const one of all) {
    const { userName, scope = null } = one.alert.owner;
    const key = JSON.stringify([userName, scope]);
    const alerts = owners.get(key);
    if (alerts) alerts.push(one);
    else owners.set(key, [one]);
  }
  return [...owners.values()].flatMap((alerts) => {
    const [newest] = alerts.toSorted((a, b) => b.alert.savedAt - a.alert.savedAt);
    return newest ? [{ owner: newest.alert.owner, alerts }] : [];
  });
}
