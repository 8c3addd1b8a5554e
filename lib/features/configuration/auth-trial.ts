import type { Authenticator, LoginRequest } from '../../interfaces/auth.js';
import type { Credentials, SchemeUser } from '../../interfaces/login-scheme.js';
import type { AuthConfiguration } from '../../model/auth-configuration.js';
import { GatewayError, NotSupported } from '../../model/errors.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import type { AccountService } from '../accounts/service.js';
import { rolesByGroup } from './group-mapping.js';
import type { AuthTestResult, GroupEntries } from './schema.js';

interface Trial {
  readonly configuration: AuthConfiguration;
  readonly mapping: GroupEntries;
  readonly credentials: Credentials;
}

/** Tries settings that are not in effect. What a mechanism says against them, or against somebody, is the answer. */
export function createAuthTrial(deps: {
  authenticator: Authenticator | undefined;
  accounts: Pick<AccountService, 'users' | 'verifyPassword' | 'hasLocalPassword'>;
  loginMillis: number;
}): (trial: Trial, request: LoginRequest) => Promise<AuthTestResult> {
  const { accounts, authenticator } = deps;
  const accountOf = (userName: string) => accounts.users.list().find((one) => one.userName === userName);

  async function local(credentials: Credentials, request: LoginRequest): Promise<AuthTestResult> {
    const isRight = await accounts.verifyPassword(credentials, request);
    if (!isRight) return refused('There is no local account with this name and password');
    const { userName } = credentials;
    return letIn({ userName }, accountOf(userName)?.roles ?? []);
  }

  async function ofScheme({ configuration, mapping, credentials }: Trial, signal: AbortSignal | undefined) {
    const ask = authenticator?.tryConfiguration?.bind(authenticator);
    if (!ask) throw new NotSupported('authenticator', 'trying an auth configuration');
    const { type } = configuration;
    const user = await withTimeout(deps.loginMillis, `Who answers for ${type} logins`, signal, (signal) =>
      ask(configuration, credentials, { signal }),
    );
    if (!user) return refused(`${type} knows nobody with this name and password`);
    if (accounts.hasLocalPassword(user.userName))
      return refused(
        `${type} knows ${user.userName}, but a local account has that name: its password counts`,
      );
    return verdictOfScheme(user, configuration, mapping, accountOf(user.userName)?.roles);
  }

  return async (trial, request) => {
    const { configuration, credentials } = trial;
    if (configuration.type === 'none')
      return { succeeds: true, message: 'Everybody is let in, without a name and a password' };
    if (configuration.type === 'password' || accounts.hasLocalPassword(credentials.userName))
      return local(credentials, request);
    try {
      return await ofScheme(trial, request.signal);
    } catch (error) {
      if (!(error instanceof GatewayError) || error instanceof NotSupported) throw error;
      return refused(error.message);
    }
  };
}

/** Whom a mechanism knows still needs a role; `roles`: of their account here, if they have one. */
function verdictOfScheme(
  user: SchemeUser,
  configuration: AuthConfiguration,
  mapping: GroupEntries,
  roles: readonly string[] | undefined,
): AuthTestResult {
  const { userName, groups } = user;
  if (groups) {
    const byGroup = rolesByGroup(mapping);
    const given = [...new Set(groups.flatMap((group) => byGroup.get(group) ?? []))];
    const told = { userName, groups: [...groups] };
    if (given.length > 0) return letIn(told, given);
    return refused(`${userName} is known, but none of their groups has a role here`, { ...told, roles: [] });
  }
  if (roles) {
    if (roles.length > 0) return letIn({ userName }, roles);
    return refused(`${userName} is known, but their account here has no role`, { userName, roles: [] });
  }
  const byDefault = 'userDefaultRole' in configuration ? configuration.userDefaultRole : undefined;
  if (byDefault !== undefined) return letIn({ userName }, [byDefault]);
  return {
    succeeds: true,
    message: `${userName} is known; the first login makes an account, without roles unless it is the first of all`,
    userName,
  };
}

const letIn = (
  told: Pick<AuthTestResult, 'userName' | 'groups'>,
  roles: readonly string[],
): AuthTestResult => ({
  succeeds: true,
  message: `${told.userName} is let in`,
  ...told,
  roles: [...roles],
});

const refused = (message: string, told: Partial<AuthTestResult> = {}): AuthTestResult => ({
  ...told,
  succeeds: false,
  message,
});
