import type { Principal } from '../../http/principal.js';
import type { Identity, LoginRequest } from '../../interfaces/auth.js';
import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import type { Credentials } from '../../interfaces/login-scheme.js';
import type { DocumentStore, DocumentWrite } from '../../interfaces/storage.js';
import { createListeners } from '../../runtime/listeners.js';
import { openAccountStore } from './account-store.js';
import { createCredentialVerifier } from './credential-verifier.js';
import { createDeviceCookies, type DeviceCookies, deviceSigningKey } from './device-cookies.js';
import { createFirstAdmin, type FirstAdmin } from './first-admin.js';
import { createLockOut } from './lock-out.js';
import { createPasswordRules, type PasswordOptions } from './password-rules.js';
import { createPasswords, type Passwords } from './passwords.js';
import { createJustInTimeProvisioning, type JustInTimeProvisioning } from './provisioning.js';
import { createRights, type GroupRights } from './rights.js';
import { createRoles, type RoleService } from './roles.js';
import type { Profile } from './schema.js';
import { createSettings, type SettingService } from './settings.js';
import { createUsers, type UserService } from './users.js';

export type { RoleService } from './roles.js';

/** Users, roles and settings; and what everybody may, at every moment. */
export interface AccountService extends FirstAdmin {
  readonly users: UserService;
  readonly roles: RoleService;
  readonly settings: SettingService;
  profileOf(user: Principal): Profile;
  /** From memory, so it may be asked at every request and every message. Rejects with `Forbidden` for nobody's roles. */
  principalOf(identity: Identity): Principal;
  verifyPassword(credentials: Credentials, request: LoginRequest): Promise<boolean>;
  readonly devices: Pick<DeviceCookies, 'issue'>;
  readonly provisioning: JustInTimeProvisioning;
  hasLocalPassword(userName: string): boolean;
  /** What groups are good for from now on, at once and for everybody. */
  useGroups(groups: GroupRights): void;
  /** Told the user whose rights may have changed, or nothing when they are anybody's. Returns the function that stops telling. */
  onRightsChanged(listener: (userName?: string) => void): () => void;
}

/** What goes with a user who is deleted. */
interface Cascade {
  /** Written in the batch that deletes the user. */
  deletion(userName: string): readonly DocumentWrite[];
  /** It is written. */
  deleted(userName: string): void;
}

export async function createAccountService(deps: {
  documents: DocumentStore;
  clock: Clock;
  logger: Logger;
  /** Whether logging in needs a password of ours, so that an account without one is a mistake. */
  passwordRequired: boolean;
  /** Ends sessions and drops remembered credentials, before it returns. */
  forget: (userName: string, exceptSessionId?: string) => void;
  /** Of other rooms, deleted with a user. Default: none. */
  cascade?: Cascade;
  /** What device cookies are signed with. Default: a key of this process. */
  deviceKey?: () => Promise<Buffer>;
  /** Milliseconds that a login may take at a directory. Default: 10 s. */
  loginMillis?: number;
  /** What the host says of new passwords. Default: that of `PasswordOptions`. */
  passwordOptions?: PasswordOptions | undefined;
  /** Default: scrypt. */
  passwords?: Passwords;
}): Promise<AccountService> {
  const { documents, clock, logger, passwords = createPasswords() } = deps;
  const rules = createPasswordRules(deps.passwordOptions);
  const store = await openAccountStore(documents, logger);
  const rights = createRights(store);
  const settings = createSettings(documents);
  const listeners = createListeners<[userName?: string]>((err) =>
    logger.error({ event: 'accounts.rights_listener_failed', err }, 'a listener for changed rights failed'),
  );
  const rightsChanged = (userName?: string) => {
    rights.changed();
    listeners.tell(userName);
  };
  const lockOut = createLockOut({ now: clock.monotonic });
  const signingKey = deps.deviceKey ?? deviceSigningKey({});
  const devices = createDeviceCookies({ signingKey, clock, logger });
  const verifier = createCredentialVerifier({ store, passwords, lockOut, devices });
  const users = createUsers({
    store,
    rights,
    passwords,
    rules,
    verifier,
    passwordRequired: deps.passwordRequired,
    cascade: async (name) => [
      ...(await settings.deletion(name)),
      ...(deps.cascade?.deletion(name) ?? []).map((write) => ({ kind: 'other' as const, write })),
    ],
    deleted: (name) => deps.cascade?.deleted(name),
    rightsChanged,
    credentialsChanged: deps.forget,
  });

  return {
    users,
    roles: createRoles({ store, rightsChanged }),
    settings,
    profileOf: rights.profileOf,
    principalOf: rights.principalOf,
    verifyPassword: verifier.verify,
    devices,
    provisioning: createJustInTimeProvisioning({
      documents,
      store,
      lockOut,
      devices,
      logger,
      timeoutMillis: deps.loginMillis ?? 10_000,
      rightsChanged,
    }),
    hasLocalPassword: (userName) => store.users.get(userName)?.password !== undefined,
    useGroups(groups) {
      rights.useGroups(groups);
      rightsChanged();
    },
    onRightsChanged: listeners.add,
    ...createFirstAdmin({ store, passwords, rules, logger }),
  };
}
