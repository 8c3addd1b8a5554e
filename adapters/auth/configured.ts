import {
  type AuthConfiguration,
  type AuthContext,
  type Authenticator,
  BadRequest,
  everybodysIdentity,
  GatewayError,
  type Identity,
  type LoginScheme,
  type LoginSchemeContext,
  type LoginSchemes,
  type OptionChecks,
  option,
  readOptions,
  type SchemeInUse,
} from '../../lib/driver-kit.js';
import { type CookieOptions, createCookie } from './cookie.js';
import type { SessionOptions } from './cookie-sessions.js';
import {
  type CredentialVerifier,
  loginSessions,
  type PasswordSessionsOptions,
  passwordSessionsOptions,
} from './login-sessions.js';
import { localVerifier } from './password.js';

export interface ConfiguredAuthOptions extends PasswordSessionsOptions {
  /** Lets only local accounts in, whatever is configured: the way back after a configuration that shuts everybody out. */
  readonly rescue?: boolean;
  /** Mechanisms by the types of the configuration; `directorySchemes()` of `@headgate/directory` has all. Default: none. */
  readonly schemes?: Partial<LoginSchemes>;
  /** Whether the first of all users of a directory without groups becomes administrator. Default: true. */
  readonly firstUserIsAdmin?: boolean;
}

const configuredAuthOptions: OptionChecks<ConfiguredAuthOptions> = {
  ...passwordSessionsOptions,
  rescue: option.flag,
  schemes: option.group<LoginSchemes>({
    ldap: option.callback,
    ad: option.callback,
    kerberos: option.callback,
    pam: option.callback,
  }),
  firstUserIsAdmin: option.flag,
};

/**
 * Whoever `PUT /ws/v2/config/auth` says: local accounts, and besides them a directory, Kerberos or the system
 * (`docs/identity.md`). A configuration that does not work shuts no local account out.
 */
export function configuredAuth(given: ConfiguredAuthOptions = {}): Authenticator {
  const options = readOptions('configuredAuth', given, configuredAuthOptions);
  const { schemes = {} } = options;
  const cookie = (scheme: LoginScheme): CookieOptions => ({
    ...options.cookie,
    ...(scheme.sessions?.cookieDomain === undefined ? {} : { domain: scheme.sessions.cookieDomain }),
    ...(scheme.sessions?.cookiePath === undefined ? {} : { path: scheme.sessions.cookiePath }),
  });
  let challenge: string | undefined;

  async function make(configuration: AuthConfiguration, context: LoginSchemeContext) {
    const scheme = await schemeOf(schemes, configuration, context);
    try {
      if (scheme) createCookie(cookie(scheme));
    } catch (error) {
      await scheme?.close?.();
      throw new BadRequest(
        'AUTH_SETTING_NOT_VALID',
        error instanceof Error ? error.message : 'The cookie can not be made',
      );
    }
    return scheme;
  }

  const authenticator = loginSessions('configuredAuth', options, async (context) => {
    const { configuration } = context;
    challenge = undefined;
    if (options.rescue) return localVerifier(context);
    if (configuration.type === 'none') return everybody;
    const scheme = await make(configuration, context).catch((err: unknown) => {
      context.logger.error(
        { event: 'auth.setup_failed', err, type: configuration.type },
        'the auth configuration does not work',
      );
      context.reportProblem(
        err instanceof GatewayError ? err.message : `${configuration.type} can not be set up`,
      );
      return undefined;
    });
    if (!scheme) return localVerifier(context);
    if (scheme.negotiate) challenge = 'Negotiate';
    const { firstUserIsAdmin } = options;
    const defaultRole = 'userDefaultRole' in configuration ? configuration.userDefaultRole : undefined;
    const used: SchemeInUse = {
      scheme,
      ...(defaultRole === undefined ? {} : { defaultRole }),
      ...(firstUserIsAdmin === undefined ? {} : { firstUserIsAdmin }),
    };
    return schemeVerifier(context, used, { ...scheme.sessions, cookie: cookie(scheme) });
  });

  return {
    ...authenticator,
    challenge: () => challenge,
    async checkConfiguration(configuration) {
      const scheme = await make(configuration, untold());
      await scheme?.close?.();
    },
    async tryConfiguration(configuration, credentials, call) {
      const scheme = await make(configuration, untold());
      try {
        if (!scheme?.login) throw new BadRequest('AUTH_SETTING_NOT_VALID', noPasswords(configuration.type));
        return await scheme.login(credentials, call);
      } finally {
        await scheme?.close?.();
      }
    },
  };
}

/** Of a scheme that is made and closed again. */
const untold = (): LoginSchemeContext => ({
  clock: { now: () => Date.now(), monotonic: () => performance.now() },
  logger: { debug() {}, info() {}, warn() {}, error() {} },
});

const noPasswords = (type: string): string =>
  `Nobody logs in to ${type} with a password, so it can not be tried with one`;

async function schemeOf(
  schemes: Partial<LoginSchemes>,
  configuration: AuthConfiguration,
  context: LoginSchemeContext,
): Promise<LoginScheme | undefined> {
  switch (configuration.type) {
    case 'password':
    case 'none':
      return undefined;
    case 'ldap':
      return there(schemes.ldap, 'ldap')(configuration, context);
    case 'ad':
      return there(schemes.ad, 'ad')(configuration, context);
    case 'kerberos':
      return there(schemes.kerberos, 'kerberos')(configuration, context);
    case 'pam':
      return there(schemes.pam, 'pam')(configuration, context);
  }
}

function there<T>(factory: T | undefined, type: string): T {
  if (factory === undefined)
    throw new BadRequest(
      'AUTH_SETTING_NOT_VALID',
      `This gateway has no mechanism for ${type}: configuredAuth takes it as schemes, and directorySchemes() of @headgate/directory has it`,
    );
  return factory;
}

/** `type: "none"`: everybody is the account that this process runs under. */
const everybody: CredentialVerifier = {
  verify: async () => everybodysIdentity(),
  know: async () => everybodysIdentity(),
};

/** `docs/decisions.md`, Local accounts come first: no directory speaks for their names. */
function schemeVerifier(
  context: AuthContext,
  used: SchemeInUse,
  sessions: SessionOptions,
): CredentialVerifier {
  const { scheme } = used;
  const local = localVerifier(context);
  return {
    sessions,
    async verify(credentials, request) {
      if (!scheme.login || context.hasLocalPassword(credentials.userName))
        return local.verify(credentials, request);
      return context.verifyBy(used, credentials, request);
    },
    async know(request, open): Promise<Identity | undefined> {
      const token = /^negotiate +([A-Za-z0-9+/]+={0,2}) *$/i.exec(request.headers.authorization ?? '')?.[1];
      if (token === undefined || !scheme.negotiate) return undefined;
      const known = await context.negotiateBy(used, token, request);
      if (!known) return undefined;
      if (known.reply !== undefined) request.setHeader?.('www-authenticate', `Negotiate ${known.reply}`);
      return open(known.identity);
    },
    close: () => scheme.close?.(),
  };
}
