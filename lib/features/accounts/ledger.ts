import { type Collection, collection, type Kept } from '../../core/collection.js';
import { PreconditionFailed } from '../../core/errors.js';
import {
  adminRole,
  allPermissions,
  defaultRoles,
  isPermission,
  type Permission,
} from '../../core/permissions.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore, DocumentWrite } from '../../interfaces/storage.js';
import { StoredRole, StoredUser } from './stored.js';

/** Users and roles as they are on disk now, in memory: rights are looked up at every request and every message. */
export interface Ledger {
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
  | { readonly kind: 'user'; readonly name: string; readonly user: StoredUser | undefined }
  | { readonly kind: 'role'; readonly name: string; readonly role: StoredRole | undefined }
  /** Written in the same batch, for other collections of the room. */
  | { readonly kind: 'other'; readonly write: DocumentWrite };

const maxAttempts = 5;

export async function openLedger(documents: DocumentStore, logger: Logger): Promise<Ledger> {
  const users = collection(documents, 'users', StoredUser);
  const roles = collection(documents, 'roles', StoredRole);
  const keptUsers = new Map<string, Kept<StoredUser>>();
  const keptRoles = new Map<string, Kept<StoredRole>>();
  const view = { users: new Map<string, StoredUser>(), roles: new Map<string, ReadonlySet<Permission>>() };
  let last: Promise<unknown> = Promise.resolve();

  async function load(): Promise<void> {
    const [allUsers, allRoles] = [await users.list(), await roles.list()];
    keptUsers.clear();
    keptRoles.clear();
    for (const kept of allUsers) keptUsers.set(kept.key, kept);
    for (const kept of allRoles) keptRoles.set(kept.key, kept);
    for (const problem of [...users.problems(), ...roles.problems()]) {
      logger.error(problem, 'a user or role that can not be read has no rights');
    }
    show();
  }

  /** The maps stay the same objects: everybody holds them. */
  function show(): void {
    view.users.clear();
    for (const [name, { value }] of keptUsers) view.users.set(name, value);
    view.roles.clear();
    for (const [name, permissions] of Object.entries(defaultRoles))
      view.roles.set(name, new Set(permissions));
    for (const [name, { value }] of keptRoles) {
      if ('removed' in value) view.roles.delete(name);
      else view.roles.set(name, new Set(value.permissions.filter(isPermission)));
    }
    view.roles.set(adminRole, new Set(allPermissions));
  }

  async function apply(decide: Parameters<Ledger['change']>[0]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const edits = await decide();
      try {
        const etags = await documents.write(edits.map(toWrite));
        edits.forEach((edit, i) => {
          remember(edit, etags[i]);
        });
        show();
        return;
      } catch (error) {
        if (!(error instanceof PreconditionFailed) || attempt === maxAttempts) throw error;
        await load();
      }
    }
  }

  const toWrite = (edit: Edit): DocumentWrite => {
    if (edit.kind === 'other') return edit.write;
    if (edit.kind === 'user') return writeOf(users, keptUsers.get(edit.name), edit.name, edit.user);
    return writeOf(roles, keptRoles.get(edit.name), edit.name, edit.role);
  };

  function remember(edit: Edit, etag: string | undefined): void {
    if (edit.kind === 'user') keep(keptUsers, edit.name, edit.user, etag);
    else if (edit.kind === 'role') keep(keptRoles, edit.name, edit.role, etag);
  }

  await load();
  return {
    ...view,
    change(decide) {
      const done = last.then(() => apply(decide));
      last = done.catch(() => {});
      return done;
    },
  };
}

/** Nothing is overwritten or deleted that we have not seen. */
function writeOf<T>(
  all: Collection<T>,
  kept: Kept<T> | undefined,
  key: string,
  value: T | undefined,
): DocumentWrite {
  if (value !== undefined) return all.writes.put(key, value, { ifMatch: kept?.etag ?? null });
  return all.writes.remove(key, kept ? { ifMatch: kept.etag } : {});
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
