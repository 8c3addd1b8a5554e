import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore, DocumentWrite } from '../../interfaces/storage.js';
import { PreconditionFailed } from '../../model/errors.js';
import {
  adminRole,
  allPermissions,
  defaultRoles,
  isPermission,
  type Permission,
} from '../../model/permissions.js';
import { createMutex } from '../../runtime/mutex.js';
import { type Collection, collection, type Kept } from '../../storage/collection.js';
import { StoredRole, StoredUser } from './stored.js';

/** Users and roles as they are on disk now, in memory: rights are looked up at every request and every message. */
export interface AccountStore {
  readonly users: ReadonlyMap<string, StoredUser>;
  /** Shipped and own roles, `admin` included. */
  readonly roles: ReadonlyMap<string, ReadonlySet<Permission>>;
  /**
   * One change after the other. `decide` sees the present state and may throw; memory follows only after the disk said
   * yes. `decide` is called again when somebody else wrote the same documents behind our back.
   */
  change(decide: () => readonly Edit[] | Promise<readonly Edit[]>): Promise<void>;
}

export type Edit =
  | ({ readonly kind: 'user'; readonly name: string; readonly user: StoredUser | undefined } & Mends)
  | ({ readonly kind: 'role'; readonly name: string; readonly role: StoredRole | undefined } & Mends)
  /** Written in the same batch, for other collections of the room. */
  | { readonly kind: 'other'; readonly write: DocumentWrite };

/** The account as it is from now on. */
export const userEdit = (user: StoredUser): Edit => ({ kind: 'user', name: user.userName, user });

interface Mends {
  /** It may replace one that can't be read; throws when it may not. Default: nothing does. */
  readonly overDamaged?: () => void;
}

const maxAttempts = 5;

export async function openAccountStore(documents: DocumentStore, logger: Logger): Promise<AccountStore> {
  const users = collection(documents, 'users', StoredUser);
  const roles = collection(documents, 'roles', StoredRole);
  const keptUsers = new Map<string, Kept<StoredUser>>();
  const keptRoles = new Map<string, Kept<StoredRole>>();
  /** Shipped roles that were changed, and nobody can read how: they have no rights, since they may have had fewer. */
  const damagedRoles = new Set<string>();
  const view = { users: new Map<string, StoredUser>(), roles: new Map<string, ReadonlySet<Permission>>() };
  const inTurn = createMutex();
  /** Whether the disk may hold something else than memory: a write that failed may have been made. */
  let isUnsure = false;

  async function load(): Promise<void> {
    const [allUsers, allRoles] = [await users.list(), await roles.list()];
    keptUsers.clear();
    keptRoles.clear();
    for (const kept of allUsers) keptUsers.set(kept.key, kept);
    for (const kept of allRoles) keptRoles.set(kept.key, kept);
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
  }

  /** The maps stay the same objects: everybody holds them. */
  function show(): void {
    view.users.clear();
    for (const [name, { value }] of keptUsers) view.users.set(name, value);
    view.roles.clear();
    for (const [name, permissions] of Object.entries(defaultRoles))
      view.roles.set(name, new Set(damagedRoles.has(name) ? [] : permissions));
    for (const [name, { value }] of keptRoles) {
      if ('removed' in value) view.roles.delete(name);
      else view.roles.set(name, new Set(value.permissions.filter(isPermission)));
    }
    view.roles.set(adminRole, new Set(allPermissions));
  }

  async function apply(decide: Parameters<AccountStore['change']>[0]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      if (isUnsure) await load();
      isUnsure = false;
      const edits = await decide();
      try {
        const etags = await documents.write(await Promise.all(edits.map(toWrite)));
        edits.forEach((edit, i) => {
          remember(edit, etags[i]);
        });
        show();
        return;
      } catch (error) {
        isUnsure = true;
        if (!(error instanceof PreconditionFailed) || attempt === maxAttempts) throw error;
      }
    }
  }

  async function toWrite(edit: Edit): Promise<DocumentWrite> {
    if (edit.kind === 'other') return edit.write;
    if (edit.kind === 'user') return writeOf(users, keptUsers.get(edit.name), { ...edit, value: edit.user });
    return writeOf(roles, keptRoles.get(edit.name), { ...edit, value: edit.role });
  }

  function remember(edit: Edit, etag: string | undefined): void {
    if (edit.kind === 'user') keep(keptUsers, edit.name, edit.user, etag);
    else if (edit.kind === 'role') {
      keep(keptRoles, edit.name, edit.role, etag);
      damagedRoles.delete(edit.name);
    }
  }

  await load();
  return {
    ...view,
    change: (decide) => inTurn(() => apply(decide)),
  };
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
