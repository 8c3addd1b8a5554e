import { z } from 'zod';
import type { AuthContext, Identity, SchemeInUse } from '../../interfaces/auth.js';
import type { Logger } from '../../interfaces/logger.js';
import type { LoginScheme, SchemeCall, SchemeUser } from '../../interfaces/login-scheme.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { ClientHungUp, Forbidden, NotReady, Unreachable } from '../../model/errors.js';
import { adminRole } from '../../model/permissions.js';
import { fairQueue, type QueuePlace } from '../../runtime/fair-queue.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import { collection } from '../../storage/collection.js';
import type { AccountStore, Edit } from './account-store.js';
import { type LockOut, networkOf } from './lock-out.js';
import { isPossible } from './passwords.js';
import { UserName } from './schema.js';
import { maxUsers } from './user-rules.js';

/** People whom a directory knows, and who come in here. */
export interface JustInTimeProvisioning extends Pick<AuthContext, 'verifyBy' | 'negotiateBy'> {
  /** The scheme whose last answer did not come; `undefined` once it answers again. */
  silent(): string | undefined;
  /** A new start, maybe with another scheme, which has not been asked yet. */
  begin(): void;
}

/** Logins under way at a directory. */
const loginsAtOnce = 64;
/** Of them, of one address: many may share it, and a directory that is slow at refusing must have time for others. */
const loginsAtOnceOfOne = 8;
/** Logins that wait for their turn at a directory; more are answered with 503. */
const maxWaiting = 200;
const retryAfterSeconds = 5;
const maxNameLength = 256;

/** Who was the first, so that nobody becomes it again when that account is deleted. */
const FirstVisitor = z.object({ userName: z.string(), scheme: z.string() });

export function createJustInTimeProvisioning(deps: {
  documents: DocumentStore;
  store: AccountStore;
  lockOut: LockOut;
  logger: Logger;
  /** Milliseconds that a login may take. */
  timeoutMillis: number;
  rightsChanged: (userName: string) => void;
}): JustInTimeProvisioning {
  const { store, lockOut, logger } = deps;
  const limited = fairQueue(
    {
      running: loginsAtOnce,
      runningOfOne: loginsAtOnceOfOne,
      waiting: maxWaiting,
      waitMillis: deps.timeoutMillis,
    },
    () => new NotReady('Too many logins are under way; try again in a moment', retryAfterSeconds),
  );
  const first = collection(deps.documents, 'first-visitor', FirstVisitor);
  let silent: string | undefined;

  /** Whatever keeps a scheme from answering, it is the same to who wants to log in. */
  const ask = <T>(
    { name }: LoginScheme,
    place: QueuePlace,
    question: (call: SchemeCall) => Promise<T> | undefined,
  ) =>
    limited(place, async () => {
      try {
        const told = await withTimeout(deps.timeoutMillis, name, place.signal, async (signal) =>
          question({ signal }),
        );
        silent = undefined;
        return told;
      } catch (error) {
        if (place.signal?.aborted) throw new ClientHungUp(error);
        silent = name;
        throw new Unreachable(`Who answers for ${name} logins`, error);
      }
    });

  /** Resolves what makes them an account, if they can have one: `docs/decisions.md`, The first user is administrator. */
  async function newAccount({ userName }: SchemeUser, used: SchemeInUse): Promise<readonly Edit[]> {
    const { scheme, defaultRole, firstUserIsAdmin = true } = used;
    if (store.users.has(userName) || store.users.size >= maxUsers) return [];
    const isFirst = firstUserIsAdmin && (await first.get('first')) === undefined;
    const byDefault = defaultRole !== undefined && store.roles.has(defaultRole) ? [defaultRole] : [];
    const roles = isFirst ? [adminRole] : byDefault;
    const edits: Edit[] = [{ kind: 'user', name: userName, user: { userName, roles } }];
    if (isFirst) {
      logger.warn(
        { event: 'accounts.admin_granted', userName, scheme: scheme.name },
        'the first user of the directory is administrator',
      );
      const write = first.writes.put('first', { userName, scheme: scheme.name }, { ifMatch: null });
      edits.push({ kind: 'other', write });
    }
    return edits;
  }

  /** Rejects with `Forbidden` for the name of a local account: that one has a password here. */
  async function provision(user: SchemeUser, used: SchemeInUse): Promise<Identity> {
    const { name: scheme } = used.scheme;
    const { userName, groups } = user;
    const known = store.users.get(userName);
    if (known?.password) {
      throw new Forbidden(
        `There is a local account ${userName}: log in with its password, or have it deleted`,
      );
    }
    if (groups) return { userName, groups: groups.slice(0, maxGroups), scheme };
    if (!known && UserName.safeParse(userName).success) {
      await store.change(() => newAccount(user, used));
      deps.rightsChanged(userName);
    }
    return { userName, scheme };
  }

  return {
    async verifyBy(used, credentials, remoteAddress, signal) {
      const { scheme } = used;
      const { userName, password } = credentials;
      if (!isPossible(password) || !isName(userName)) return undefined;
      // Directories ignore case: all spellings count as one.
      const attempt = lockOut.begin(userName.toLowerCase(), remoteAddress);
      const place = { ...attempt.place, signal };
      let isAsked = false;
      const login = (call: SchemeCall) => {
        isAsked = true;
        return scheme.login?.(credentials, call);
      };
      const user = await ask(scheme, place, login).catch((error: unknown) => {
        // Who hangs up while the directory thinks has made a guess: it counts, or guessing would be free.
        if (!(isAsked && error instanceof ClientHungUp)) attempt.withdraw();
        throw error;
      });
      if (!user) return undefined;
      attempt.succeeded();
      return provision(user, used);
    },

    async negotiateBy(used, token, remoteAddress, signal) {
      const { scheme } = used;
      const place = { whose: networkOf(remoteAddress), signal };
      const found = await ask(scheme, place, (call) => scheme.negotiate?.(token, call));
      if (!found) return undefined;
      const { user, reply } = found;
      return { identity: await provision(user, used), ...(reply === undefined ? {} : { reply }) };
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
