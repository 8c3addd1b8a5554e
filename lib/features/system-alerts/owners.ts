import type { Principal } from '../../http/principal.js';
import { NotFound } from '../../model/errors.js';
import type { StoredAlert } from './stored.js';

/** All that says what a caller may do who is not here: everything but the session. */
export const ownerOf = ({ userName, identity }: Principal): StoredAlert['owner'] => ({
  userName,
  ...(identity.groups === undefined ? {} : { groups: [...identity.groups] }),
  ...(identity.roles === undefined ? {} : { roles: [...identity.roles] }),
  ...(identity.scope === undefined ? {} : { scope: [...identity.scope] }),
});

/** Everybody sees their own alerts, administrators all. */
export const isVisible = (user: Principal, { alert }: { readonly alert: StoredAlert }): boolean =>
  user.isAdmin || alert.owner.userName === user.userName;

/** Throws `NotFound` for an alert that is not there, and for one that `user` may not see. */
export function requireVisible<A extends { readonly alert: StoredAlert }>(
  user: Principal,
  name: string,
  live: A | undefined,
): A {
  if (live && isVisible(user, live)) return live;
  throw new NotFound('alert', name);
}

/**
 * Alerts by owner, and by what tokens take away from the owner. Who has several alerts is who that was when the last of them
 * was saved.
 */
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
