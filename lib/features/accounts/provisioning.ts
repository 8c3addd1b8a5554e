import type { AuthContext } from '../../interfaces/auth.js';
import type { Logger } from '../../interfaces/logger.js';
import type { SchemeCall } from '../../interfaces/login-scheme.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { ClientHungUp } from '../../model/errors.js';
import type { AccountStore } from './account-store.js';
import type { DeviceCookies } from './device-cookies.js';
import { createDirectoryUsers } from './directory-users.js';
import { type LockOut, siteOf } from './lock-out.js';
import { isPossible } from './passwords.js';
import { createSchemeQueue, type SchemeQueue } from './scheme-queue.js';

/** People whom a directory knows, and who come in here. */
export interface JustInTimeProvisioning
  extends Pick<AuthContext, 'verifyBy' | 'negotiateBy'>,
    Pick<SchemeQueue, 'silent' | 'begin'> {}

const maxNameLength = 256;

export function createJustInTimeProvisioning(deps: {
  documents: DocumentStore;
  store: AccountStore;
  lockOut: LockOut;
  devices: Pick<DeviceCookies, 'deviceOf'>;
  logger: Logger;
  /** Milliseconds that a login may take. */
  timeoutMillis: number;
  rightsChanged: (userName: string) => void;
}): JustInTimeProvisioning {
  const { ask, silent, begin } = createSchemeQueue(deps.timeoutMillis);
  const provision = createDirectoryUsers(deps);

  return {
    async verifyBy(used, credentials, { headers, remoteAddress, signal }) {
      const { scheme } = used;
      const { userName, password } = credentials;
      if (!isPossible(password) || !isName(userName)) return undefined;
      // Directories ignore case: all spellings count as one.
      const device = await deps.devices.deviceOf(headers, userName);
      const attempt = deps.lockOut.begin({ userName: userName.toLowerCase(), remoteAddress, device });
      const place = { ...attempt.place, signal };
      let isAsked = false;
      const login = (call: SchemeCall) => {
        isAsked = true;
        return scheme.login?.(credentials, call);
      };
      const user = await ask(scheme, place, login).catch((error: unknown) => {
        // Who hangs up while the directory thinks has made a guess: it counts, or guessing would be free.
        if (isAsked && error instanceof ClientHungUp) attempt.failed();
        else attempt.withdraw();
        throw error;
      });
      if (!user) {
        attempt.failed();
        return undefined;
      }
      attempt.succeeded();
      return provision(user, used);
    },

    async negotiateBy(used, token, { remoteAddress, signal }) {
      const { scheme } = used;
      const place = { whose: siteOf(remoteAddress), signal };
      const found = await ask(scheme, place, (call) => scheme.negotiate?.(token, call));
      if (!found) return undefined;
      const { user, reply } = found;
      return { identity: await provision(user, used), ...(reply === undefined ? {} : { reply }) };
    },

    silent,
    begin,
  };
}

const isName = (name: string): boolean =>
  name !== '' && name.length <= maxNameLength && !/\p{Cc}/u.test(name);
