import type { Principal } from '../../http/principal.js';
import { InvalidInput } from '../../model/errors.js';
import { isPossible, maxPasswordBytes, type PasswordHash, type Passwords } from './passwords.js';

/** A password that the caller gives somebody, and the field of the body that it came in. */
interface NewPassword {
  readonly caller: Principal;
  readonly field: string;
  readonly password: string | undefined;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal | undefined;
}

/** What is kept of it: nothing when there is none. Rejects with `InvalidInput` for one that nobody can have. */
export async function hashed(
  passwords: Passwords,
  { caller, field, password, signal }: NewPassword,
): Promise<{ readonly password?: PasswordHash }> {
  if (password === undefined) return {};
  if (!isPossible(password)) {
    throw new InvalidInput([
      { path: `body.${field}`, message: `a password has 1 to ${maxPasswordBytes} bytes` },
    ]);
  }
  const place = { whose: `user ${caller.userName}`, isKnown: true, signal };
  return { password: await passwords.hash(password, place) };
}
