import type { Principal } from '../../http/principal.js';
import type { PasswordRules } from './password-rules.js';
import type { PasswordHash, Passwords } from './passwords.js';

/** A password that the caller gives a user, and the field of the body that it came in. */
interface NewPassword {
  readonly caller: Principal;
  readonly userName: string;
  readonly field: string;
  readonly password: string | undefined;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal | undefined;
}

/** What is kept of it: nothing when there is none. Rejects as `PasswordRules.require` does. */
export async function hashed(
  { passwords, rules }: { readonly passwords: Passwords; readonly rules: PasswordRules },
  { caller, userName, field, password, signal }: NewPassword,
): Promise<{ readonly password?: PasswordHash }> {
  if (password === undefined) return {};
  await rules.require({ userName, field, password });
  const place = { whose: `user ${caller.userName}`, isKnown: true, signal };
  return { password: await passwords.hash(password, place) };
}
