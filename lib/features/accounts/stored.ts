import * as z from 'zod';
import { PasswordHash } from './passwords.js';
import { RoleName, UserName } from './schema.js';

// What is kept in storage. Never sent: the wire shapes are in `schema.ts`.

export const StoredUser = z.object({
  userName: UserName,
  roles: z.array(RoleName),
  /** Absent: nobody can log in with a password of ours under this name. */
  password: PasswordHash.optional(),
  /** By the first start, for the user `admin`; nobody has chosen another one since. */
  isPasswordGenerated: z.literal(true).optional(),
});
export type StoredUser = z.output<typeof StoredUser>;

/**
 * Only what differs from the shipped roles is kept. Permissions that this version does not know stay in the document
 * and count for nothing.
 */
export const StoredRole = z.union([
  z.object({ name: RoleName, permissions: z.array(z.string()) }),
  z.object({ name: RoleName, removed: z.literal(true) }),
]);
export type StoredRole = z.output<typeof StoredRole>;

/** The value as JSON text: it comes back as it came in. */
export const StoredSetting = z.object({ json: z.string() });
export type StoredSetting = z.output<typeof StoredSetting>;

/** Of one user, changed together with each setting. */
export const SettingsUse = z.object({ keys: z.number().int(), bytes: z.number().int() });
export type SettingsUse = z.output<typeof SettingsUse>;
