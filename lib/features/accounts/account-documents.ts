import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore, DocumentWrite } from '../../interfaces/storage.js';
import {
  adminRole,
  allPermissions,
  defaultRoles,
  isPermission,
  type Permission,
} from '../../model/permissions.js';
import { type Collection, collection, type Kept } from '../../storage/collection.js';
import type { Edit, Mends } from './account-edits.js';
import { StoredRole, StoredUser } from './stored.js';

/** The documents of users and roles, and what they say, in memory. */
export interface AccountDocuments {
  readonly users: ReadonlyMap<string, StoredUser>;
  /** Shipped and own roles, `admin` included. */
  readonly roles: ReadonlyMap<string, ReadonlySet<Permission>>;
  /** Reads all of them again. */
  load(): Promise<void>;
  /** All or nothing; memory follows only after the disk said yes. */
  write(edits: readonly Edit[]): Promise<void>;
}

/** Empty until they are loaded. */
export function accountDocuments(documents: DocumentStore, logger: Logger): AccountDocuments {
  const users = collection(documents, 'users', StoredUser);
  const roles = collection(documents, 'roles', StoredRole);
  const keptUsers = new Map<string, Kept<StoredUser>>();
  const keptRoles = new Map<string, Kept<StoredRole>>();
  const damagedRoles = new Set<string>();
  // The maps stay the same objects: everybody holds them.
  const shown = { users: new Map<string, StoredUser>(), roles: new Map<string, ReadonlySet<Permission>>() };

  function show(): void {
    replaceAll(
      shown.users,
      [...keptUsers.values()].map(({ key, value }) => [key, value]),
    );
    replaceAll(shown.roles, rolesInForce([...keptRoles.values()], damagedRoles));
  }

  const writeFor = async (edit: Edit): Promise<DocumentWrite> => {
    if (edit.kind === 'other') return edit.write;
    if (edit.kind === 'user') return writeOf(users, keptUsers.get(edit.name), { ...edit, value: edit.user });
    return writeOf(roles, keptRoles.get(edit.name), { ...edit, value: edit.role });
  };

  function remember(edit: Edit, etag: string | undefined): void {
    if (edit.kind === 'user') keep(keptUsers, edit.name, edit.user, etag);
    else if (edit.kind === 'role') {
      keep(keptRoles, edit.name, edit.role, etag);
      damagedRoles.delete(edit.name);
    }
  }

  return {
    ...shown,

    async load() {
      const [allUsers, allRoles] = [await users.list(), await roles.list()];
      replaceAll(
        keptUsers,
        allUsers.map((kept) => [kept.key, kept]),
      );
      replaceAll(
        keptRoles,
        allRoles.map((kept) => [kept.key, kept]),
      );
      for (const problem of [...users.problems(), ...roles.problems()]) {
        logger.error(
          { event: 'accounts.document_unreadable', ...problem },
          'a user or role that can not be read has no rights',
        );
      }
      damagedRoles.clear();
      for (const name of Object.keys(defaultRoles))
        if (!keptRoles.has(name) && (await roles.toReplace(name)).isDamaged) damagedRoles.add(name);
      show();
    },

    async write(edits) {
      const etags = await documents.write(await Promise.all(edits.map(writeFor)));
      edits.forEach((edit, i) => {
        remember(edit, etags[i]);
      });
      show();
    },
  };
}

/**
 * What each role may do: the shipped ones, but for what is kept of them, and `admin` everything. Shipped roles that were
 * changed, and nobody can read how, have no rights, since they may have had fewer.
 */
export function rolesInForce(
  kept: readonly Pick<Kept<StoredRole>, 'key' | 'value'>[],
  damaged: ReadonlySet<string>,
): Map<string, ReadonlySet<Permission>> {
  const roles = new Map<string, ReadonlySet<Permission>>();
  for (const [name, permissions] of Object.entries(defaultRoles))
    roles.set(name, new Set(damaged.has(name) ? [] : permissions));
  for (const { key, value } of kept) {
    if ('removed' in value) roles.delete(key);
    else roles.set(key, new Set(value.permissions.filter(isPermission)));
  }
  roles.set(adminRole, new Set(allPermissions));
  return roles;
}

/** Nothing is overwritten or deleted that we have not seen, but for what nobody can see. */
async function writeOf<T>(
  all: Collection<T>,
  kept: Kept<T> | undefined,
  { name: key, value, overDamaged }: Mends & { readonly name: string; readonly value: T | undefined },
): Promise<DocumentWrite> {
  if (value === undefined) return all.writes.remove(key, kept ? { ifMatch: kept.etag } : {});
  if (kept || !overDamaged) return all.writes.put(key, value, { ifMatch: kept?.etag ?? null });
  const { isDamaged } = await all.toReplace(key);
  if (isDamaged) overDamaged();
  return all.writes.put(key, value, { ifMatch: isDamaged ? '*' : null });
}

function keep<T>(
  all: Map<string, Kept<T>>,
  key: string,
  value: T | undefined,
  etag: string | undefined,
): void {
  if (value === undefined || etag === undefined) all.delete(key);
  else all.set(key, { key, value, etag });
}

function replaceAll<T>(all: Map<string, T>, entries: Iterable<readonly [string, T]>): void {
  all.clear();
  for (const [key, value] of entries) all.set(key, value);
}
