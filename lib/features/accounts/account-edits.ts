import type { DocumentWrite } from '../../interfaces/storage.js';
import type { StoredRole, StoredUser } from './stored.js';

/** One change of what is kept of accounts. */
export type Edit =
  | ({ readonly kind: 'user'; readonly name: string; readonly user: StoredUser | undefined } & Mends)
  | ({ readonly kind: 'role'; readonly name: string; readonly role: StoredRole | undefined } & Mends)
  /** Written in the same batch, for other collections of the room. */
  | { readonly kind: 'other'; readonly write: DocumentWrite };

export interface Mends {
  /** It may replace one that can't be read; throws when it may not. Default: nothing does. */
  readonly overDamaged?: () => void;
}

/** The account as it is from now on. */
export const userEdit = (user: StoredUser): Edit => ({ kind: 'user', name: user.userName, user });
