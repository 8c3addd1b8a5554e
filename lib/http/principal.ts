import type { Identity } from '../interfaces/auth.js';
import type { Permission } from '../model/permissions.js';

/** Who is calling and what they may do at this moment. Made anew for each request and after each change of rights. */
export interface Principal {
  readonly userName: string;
  readonly roles: readonly string[];
  readonly permissions: ReadonlySet<Permission>;
  readonly isAdmin: boolean;
  /** Absent when authentication is off. */
  readonly authScheme?: string;
  readonly identity: Identity;
}

export const may = (user: Principal, permission: Permission): boolean =>
  user.isAdmin || user.permissions.has(permission);

/** Nobody: what public routes see without a session. */
export const anonymous: Principal = {
  userName: '',
  roles: [],
  permissions: new Set(),
  isAdmin: false,
  identity: { userName: '' },
};
