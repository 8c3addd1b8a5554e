import type { LoginRequest } from '../../interfaces/auth.js';
import type { Credentials } from '../../interfaces/login-scheme.js';
import { userEdit } from './account-edits.js';
import type { AccountStore } from './account-store.js';
import type { DeviceCookies } from './device-cookies.js';
import type { LockOut } from './lock-out.js';
import { isOutdated, isPossible, ownWork, type PasswordHash, type Passwords } from './passwords.js';

/** Whether somebody's password is right: counted, slow, and blind to whether the user exists. */
export interface CredentialVerifier {
  /** For every login by password. A hash that is cheaper than those of today is made anew. */
  verify(credentials: Credentials, request: LoginRequest): Promise<boolean>;
  /** The same, and the hash stays as it is: for a password that is about to be replaced. */
  check(credentials: Credentials, request: LoginRequest): Promise<boolean>;
}

export function createCredentialVerifier({
  store,
  passwords,
  lockOut,
  devices,
}: {
  readonly store: AccountStore;
  readonly passwords: Passwords;
  readonly lockOut: LockOut;
  readonly devices: Pick<DeviceCookies, 'deviceOf'>;
}): CredentialVerifier {
  async function check(credentials: Credentials, request: LoginRequest): Promise<boolean> {
    const { headers, remoteAddress, signal } = request;
    const { userName, password } = credentials;
    if (!isPossible(password)) return false;
    const device = await devices.deviceOf(headers, userName);
    const attempt = lockOut.begin({ userName, remoteAddress, device });
    const hash = store.users.get(userName)?.password;
    const right = await passwords
      .verify(password, hash, { ...attempt.place, signal })
      .catch((error: unknown) => {
        attempt.withdraw();
        throw error;
      });
    // Deleted or reset meanwhile: what was checked is no longer the password.
    const isRight = right && store.users.get(userName)?.password === hash;
    if (isRight) attempt.succeeded();
    else attempt.failed();
    return isRight;
  }

  /** The same password with as much work as new ones get. */
  async function renew({ userName, password }: Credentials, from: PasswordHash): Promise<void> {
    const hash = await passwords.hash(password, ownWork);
    await store.change(() => {
      const user = store.users.get(userName);
      return user?.password === from ? [userEdit({ ...user, password: hash })] : [];
    });
  }

  return {
    check,

    async verify(credentials, request) {
      const right = await check(credentials, request);
      const hash = store.users.get(credentials.userName)?.password;
      if (right && hash && isOutdated(hash)) await renew(credentials, hash).catch(() => {});
      return right;
    },
  };
}
