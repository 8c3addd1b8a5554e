import { randomBytes } from 'node:crypto';
import type { Principal } from '../../http/principal.js';
import type { Identity } from '../../interfaces/auth.js';
import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import type { Credentials } from '../../interfaces/login-scheme.js';
import type { DocumentStore, DocumentWrite } from '../../interfaces/storage.js';
import { PreconditionFailed } from '../../model/errors.js';
import { createListeners } from '../../runtime/listeners.js';
import { openAccountStore } from './account-store.js';
import { createLockOut } from './lock-out.js';
import { createPasswords, type Passwords } from './passwords.js';
import { createJustInTimeProvisioning, type JustInTimeProvisioning } from './provisioning.js';
import { createRights, type GroupRights } from './rights.js';
import { createRoles, type RoleService } from './roles.js';
import type { Profile } from './schema.js';
import { createSettings, type SettingService } from './settings.js';
import { createUsers, type UserService } from './users.js';

export type { RoleService } from './roles.js';

/** Users, roles and settings; and what everybody may, at every moment. */
export interface AccountService {
  readonly users: UserService;
  readonly roles: RoleService;
  readonly settings: SettingService;
  profileOf(user: Principal): Profile;
  /** From memory, so it may be asked at every request and every message. Rejects with `Forbidden` for nobody's roles. */
  principalOf(identity: Identity): Promise<Principal>;
  verifyPassword(credentials: Credentials, remoteAddress: string, signal?: AbortSignal): Promise<boolean>;
  readonly visitors: JustInTimeProvisioning;
  hasLocalPassword(userName: string): boolean;
  /** What groups are good for from now on, at once and for everybody. */
  useGroups(groups: GroupRights): void;
  /** Told the user whose rights may have changed, or nothing when they are anybody's. Returns the function that stops telling. */
  onRightsChanged(listener: (userName?: string) => void): () => void;
  /**
   * First start: makes the user `admin` when nobody is administrator. Resolves the password when it was generated:
   * nobody else has it, and it is not kept.
   */
  ensureAdmin(password: string | undefined): Promise<string | undefined>;
  /** The password that `ensureAdmin` has generated is still somebody's. */
  hasGeneratedPassword(): boolean;
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
  belongings?: Cascade;
  /** Milliseconds that a login may take at a directory. Default: 10 s. */
  loginMillis?: number;
  /** Default: scrypt. */
  passwords?: Passwords;
}): Promise<AccountService> {
  const { documents, clock, logger, passwords = createPasswords() } = deps;
  const ledger = await openAccountStore(documents, logger);
  const rights = createRights(ledger);
  const settings = createSettings(documents);
  const listeners = createListeners<[userName?: string]>((err) =>
    logger.error({ event: 'accounts.rights_listener_failed', err }, 'a listener for changed rights failed'),
  );
  const rightsChanged = (userName?: string) => {
    rights.changed();
    listeners.tell(userName);
  };
  const lockOut = createLockOut({ now: clock.monotonic });
  const users = createUsers({
    ledger,
    rights,
    passwords,
    lockOut,
    passwordRequired: deps.passwordRequired,
    belongings: async (name) => [
      ...(await settings.deletion(name)),
      ...(deps.belongings?.deletion(name) ?? []).map((write) => ({ kind: 'other' as const, write })),
    ],
    deleted: (name) => deps.belongings?.deleted(name),
    rightsChanged,
    credentialsChanged: deps.forget,
  });

  return {
    users,
    roles: createRoles({ ledger, rightsChanged }),
    settings,
    profileOf: rights.profileOf,
    principalOf: rights.principalOf,
    verifyPassword: (credentials, remoteAddress, signal) =>
      users.verify(credentials, { remoteAddress, signal }),
    visitors: createJustInTimeProvisioning({
      documents,
      ledger,
      lockOut,
      logger,
      timeoutMillis: deps.loginMillis ?? 10_000,
      rightsChanged,
    }),
    hasLocalPassword: (userName) => ledger.users.get(userName)?.password !== undefined,
    useGroups(groups) {
      rights.useGroups(groups);
      rightsChanged();
    },
    onRightsChanged: listeners.add,
    hasGeneratedPassword: users.hasGeneratedPassword,
    async ensureAdmin(given) {
      const password = given ?? randomBytes(15).toString('base64url');
      try {
        const isGenerated = given === undefined;
        return (await users.ensureAdmin(password, { isGenerated })) && isGenerated ? password : undefined;
      } catch (err) {
        if (!(err instanceof PreconditionFailed)) throw err;
        logger.error(
          { event: 'accounts.admin_damaged', err },
          'there is no administrator, and the document of the user admin is damaged',
        );
        return undefined;
      }
    },
  };
}
