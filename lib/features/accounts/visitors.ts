import { z } from 'zod';
import { atOnce } from '../../core/at-once.js';
import { collection } from '../../core/collection.js';
import { within } from '../../core/deadline.js';
import { Forbidden, Unreachable } from '../../core/errors.js';
import { adminRole } from '../../core/permissions.js';
import type { Credentials, Identity, NegotiatedIdentity, SchemeInUse } from '../../interfaces/auth.js';
import type { Logger } from '../../interfaces/logger.js';
import type { LoginScheme, SchemeCall, SchemeUser } from '../../interfaces/login-scheme.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import type { Edit, Ledger } from './ledger.js';
import type { LockOut } from './lock-out.js';
import { isPossible } from './passwords.js';
import { UserName } from './schema.js';

/** People whom a directory knows, and who come in here. */
export interface Visitors {
  /**
   * Asks the scheme, under the same lock-out as passwords of our own. Resolves `undefined` when the credentials are
   * wrong; rejects with `TooManyRequests` while locked out, and with `Unreachable` when the scheme can't find out in time.
   */
  verifyBy(used: SchemeInUse, credentials: Credentials, remoteAddress: string): Promise<Identity | undefined>;
  /** Asks the scheme about what came after `Authorization: Negotiate`; otherwise like `verifyBy`. */
  negotiateBy(used: SchemeInUse, token: string): Promise<NegotiatedIdentity | undefined>;
  /** The scheme whose last answer did not come; `undefined` once it answers again. */
  silent(): string | undefined;
  /** A new start, maybe with another scheme, which has not been asked yet. */
  begin(): void;
}

/** Logins under way at a directory; more are answered with 429. */
const loginsAtOnce = 64;
const maxNameLength = 256;
/** Accounts that visitors make by logging in; later ones have groups, or ask an administrator. */
const maxUsers = 10_000;

/** Who was the first, so that nobody becomes it again when that account is deleted. */
const FirstVisitor = z.object({ userName: z.string(), scheme: z.string() });

export function createVisitors(deps: {
  documents: DocumentStore;
  ledger: Ledger;
  lockOut: LockOut;
  logger: Logger;
  /** Milliseconds that a login may take. */
  patience: number;
  rightsChanged: (userName: string) => void;
}): Visitors {
  const { ledger, lockOut, logger } = deps;
  const limited = atOnce(loginsAtOnce, 'logins');
  const first = collection(deps.documents, 'first-visitor', FirstVisitor);
  let silent: string | undefined;

  /** Whatever keeps a scheme from answering, it is the same to who wants to log in. */
  const ask = <T>({ name }: LoginScheme, question: (call: SchemeCall) => Promise<T> | undefined) =>
    limited(async () => {
      try {
        const told = await within(deps.patience, name, undefined, async (signal) => question({ signal }));
        silent = undefined;
        return told;
      } catch (error) {
        silent = name;
        throw new Unreachable(`Who answers for ${name} logins`, error);
      }
    });

  /** Resolves what makes them an account, if they can have one; the first of all is administrator (`resolved-gaps.md` G36). */
  async function newAccount({ userName }: SchemeUser, used: SchemeInUse): Promise<readonly Edit[]> {
    const { scheme, defaultRole, firstUserIsAdmin = true } = used;
    if (ledger.users.has(userName) || ledger.users.size >= maxUsers) return [];
    const isFirst = firstUserIsAdmin && (await first.get('first')) === undefined;
    const byDefault = defaultRole !== undefined && ledger.roles.has(defaultRole) ? [defaultRole] : [];
    const roles = isFirst ? [adminRole] : byDefault;
    const edits: Edit[] = [{ kind: 'user', name: userName, user: { userName, roles } }];
    if (isFirst) {
      logger.warn({ userName, scheme: scheme.name }, 'the first user of the directory is administrator');
      const write = first.writes.put('first', { userName, scheme: scheme.name }, { ifMatch: null });
      edits.push({ kind: 'other', write });
    }
    return edits;
  }

  /** Rejects with `Forbidden` for the name of a local account: that one has a password here. */
  async function admit(user: SchemeUser, used: SchemeInUse): Promise<Identity> {
    const { name: scheme } = used.scheme;
    const { userName, groups } = user;
    const known = ledger.users.get(userName);
    if (known?.password) {
      throw new Forbidden(
        `There is a local account ${userName}: log in with its password, or have it deleted`,
      );
    }
    if (groups) return { userName, groups: groups.slice(0, maxGroups), scheme };
    if (!known && UserName.safeParse(userName).success) {
      await ledger.change(() => newAccount(user, used));
      deps.rightsChanged(userName);
    }
    return { userName, scheme };
  }

  return {
    async verifyBy(used, credentials, remoteAddress) {
      const { scheme } = used;
      const { userName, password } = credentials;
      if (!isPossible(password) || !isName(userName)) return undefined;
      // Directories ignore case: all spellings count as one.
      const attempt = lockOut.begin(userName.toLowerCase(), remoteAddress);
      const user = await ask(scheme, (call) => scheme.login?.(credentials, call)).catch((error: unknown) => {
        attempt.withdraw();
        throw error;
      });
      if (!user) return undefined;
      attempt.succeeded();
      return admit(user, used);
    },

    async negotiateBy(used, token) {
      const { scheme } = used;
      const found = await ask(scheme, (call) => scheme.negotiate?.(token, call));
      if (!found) return undefined;
      const { user, reply } = found;
      return { identity: await admit(user, used), ...(reply === undefined ? {} : { reply }) };
    },

    silent: () => silent,

    begin() {
      silent = undefined;
    },
  };
}

/** Kept with each session. */
const maxGroups = 1000;

const isName = (name: string): boolean =>
  name !== '' && name.length <= maxNameLength && !/\p{Cc}/u.test(name);
