import type { ApplicationCredentials } from '../../http/application-credentials.js';
import type { Principal } from '../../http/principal.js';
import type { CallerRequest, Identity, Sessions } from '../../interfaces/auth.js';
import { Forbidden, LoginFailed, NotFound, NotSupported } from '../../model/errors.js';
import type { Profile } from '../accounts/schema.js';
import type { AccountService } from '../accounts/service.js';
import type { LoginInput, SessionInfo } from './schema.js';

type SetHeader = (name: string, value: string | string[]) => void;

export interface SessionService {
  /** Rejects with `LoginFailed`, the same for unknown users and wrong passwords, and with `Forbidden` for a user without roles. */
  login(input: LoginInput, caller: CallerRequest, setHeader: SetHeader): Promise<Profile>;
  /** Also when nobody is logged in. */
  logout(caller: CallerRequest, setHeader: SetHeader): void;
  /** The caller's own, the one used last first. Throws `NotSupported` where sessions are not ours to see. */
  list(user: Principal): SessionInfo[];
  /** One of the caller's own; others' are not there. Throws `Forbidden` for an API token. */
  endOne(user: Principal, id: string): void;
}

/** How people log in. */
export type LoginMode =
  /** Authentication is off, and this is who everybody is. */
  | { readonly kind: 'everybody'; readonly identity: Identity }
  | {
      readonly kind: 'sessions';
      readonly sessions: Sessions;
      /** Whether wrong passwords lock out, so that a device cookie is good for something. */
      readonly isLockable: boolean;
    }
  /** The host knows them already. */
  | { readonly kind: 'elsewhere' };

export function createSessionService(deps: {
  loginMode: LoginMode;
  accounts: Pick<AccountService, 'principalOf' | 'profileOf' | 'devices'>;
  applications: Pick<ApplicationCredentials, 'login'>;
}): SessionService {
  const { loginMode, accounts, applications } = deps;
  const profileOf = (identity: Identity): Profile => accounts.profileOf(accounts.principalOf(identity));

  const isOverTls = ({ isSecure = false }: CallerRequest): boolean =>
    (loginMode.kind === 'sessions' ? loginMode.sessions.secure : undefined) ?? isSecure;

  function listed() {
    const sessions = loginMode.kind === 'sessions' ? loginMode.sessions : undefined;
    if (!sessions?.list || !sessions.endOne)
      throw new NotSupported('authenticator', 'a list of open sessions');
    return { list: sessions.list, endOne: sessions.endOne };
  }

  return {
    list: ({ userName, identity }) =>
      listed()
        .list(userName)
        .map((entry) => ({ ...entry, isCurrent: entry.id === identity.sessionId }))
        .sort((a, b) => b.lastUsedAt - a.lastUsedAt),

    endOne({ userName, identity }, id) {
      const { list, endOne } = listed();
      if (identity.scheme === 'token') throw new Forbidden('A token ends no sessions: log in');
      if (!list(userName).some((entry) => entry.id === id)) throw new NotFound('session', id);
      endOne(id);
    },

    async login(credentials, caller, setHeader) {
      const { userName } = credentials;
      const ofApplication = await applications.login(credentials, isOverTls(caller));
      if (ofApplication !== undefined) {
        setHeader('set-cookie', ofApplication);
        return { userName, roles: [], permissions: [] };
      }
      if (loginMode.kind === 'everybody') return profileOf(loginMode.identity);
      if (loginMode.kind === 'elsewhere')
        throw new NotSupported('authenticator', 'sessions; log in at the host');
      const identity = await loginMode.sessions.verify(credentials, caller);
      if (!identity) throw new LoginFailed();
      const profile = profileOf(identity);
      const { setCookie } = loginMode.sessions.open(identity, caller);
      const device = loginMode.isLockable
        ? await accounts.devices.issue(caller.headers, userName, isOverTls(caller))
        : undefined;
      setHeader('set-cookie', device === undefined ? setCookie : [setCookie, device]);
      return profile;
    },

    logout(caller, setHeader) {
      if (loginMode.kind === 'sessions') setHeader('set-cookie', loginMode.sessions.end(caller).setCookie);
    },
  };
}
