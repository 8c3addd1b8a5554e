import {
  BadRequest,
  type LoginSchemeFactory,
  type OptionChecks,
  option,
  readOptions,
} from 'headgate/driver-kit';
import type { ConnectionLimits, Ldapts } from './ldap-connection.js';
import { introduce, logIn } from './ldap-login.js';
import { type DirectoryPlan, directoryPlan, isLoopback, nameFor, readAuthorities } from './ldap-plan.js';
import type { PoolLimits } from './ldap-pool.js';
import { createServers } from './ldap-servers.js';
import { filterFor, isBalanced } from './ldap-text.js';

export interface LdapOptions {
  /** Milliseconds to connect to one server, TLS included; then the next one is asked. Default: 3000. */
  readonly connectMillis?: number;
  /** Milliseconds for each answer of a server. Default: 5000. */
  readonly answerMillis?: number;
  /** Milliseconds for which a server that failed is asked last. Default: 30 seconds. */
  readonly avoidMillis?: number;
  /** Connections to each server that are searched with, by `bindDn` or by nobody. Default: 8. */
  readonly searchConnections?: number;
  /** Milliseconds for which one of those that is not used is kept; 0: none is kept. Default: 1 minute. */
  readonly idleMillis?: number;
}

const ldapOptions: OptionChecks<LdapOptions> = {
  connectMillis: option.atLeast(1),
  answerMillis: option.atLeast(1),
  avoidMillis: option.atLeast(0),
  searchConnections: option.atLeast(1),
  idleMillis: option.atLeast(0),
};

/** Logins that wait for a connection to search with: no more than the gateway lets in. */
const maxWaiting = 64;
/** An account that was closed or a server that was moved is noticed after so long at the latest. */
const maxAgeMillis = 600_000;

/**
 * Logs people in through an LDAP directory or Active Directory (types `ldap` and `ad`, `docs/identity.md`).
 * Connections that search are kept for a while; each password is proved on a connection of its own.
 */
export function ldapScheme(given: LdapOptions = {}): LoginSchemeFactory<'ldap' | 'ad'> {
  const options = readOptions('ldapScheme', given, ldapOptions);
  const { connectMillis = 3000, answerMillis = 5000, avoidMillis = 30_000 } = options;
  const { searchConnections = 8, idleMillis = 60_000 } = options;
  const limits: ConnectionLimits = { connectMillis, answerMillis };
  const pool: PoolLimits = {
    max: searchConnections,
    waiting: maxWaiting,
    idleMillis,
    ageMillis: maxAgeMillis,
  };
  return async (configuration, { clock, logger }) => {
    const plan = directoryPlan(configuration);
    const ca = configuration.caFile === undefined ? undefined : await readAuthorities(configuration.caFile);
    const ldapts = await import('ldapts');
    checkFilter(ldapts, plan);
    const open = plan.servers.filter(({ tls, host }) => tls === 'none' && !isLoopback(host));
    if (open.length > 0) {
      logger.warn(
        { event: 'ldap.plaintext_passwords', servers: open.map(({ url }) => url) },
        'passwords cross the network as they are: use TLS',
      );
    }
    const servers = createServers({
      ldapts,
      servers: plan.servers,
      ca,
      limits,
      pool,
      introduce: (connection) => introduce(plan.searcher, connection),
      avoidMillis,
      clock,
      logger,
    });

    return {
      name: configuration.type,
      async login({ userName, password }, { signal }) {
        // Servers take a bind without a password for nobody's, and let it succeed (RFC 4513, 5.1.2).
        if (password === '' || userName.includes('\0')) return undefined;
        const typed = nameFor(plan, userName);
        const user = await servers.ask(signal, (directory) =>
          logIn(ldapts, plan, directory, typed, password),
        );
        if (user === 'ambiguous')
          logger.warn(
            { event: 'ldap.user_ambiguous', userName },
            'the name fits several entries of the directory',
          );
        return typeof user === 'object' ? user : undefined;
      },
      close: servers.close,
    };
  };
}

/** The brackets are the configuration's alone: what parses once, parses for every name. */
function checkFilter(ldapts: Ldapts, plan: DirectoryPlan): void {
  try {
    ldapts.FilterParser.parseString(filterFor(plan.userFilter, 'somebody'));
    // The parser forgives brackets that are not closed.
    if (!isBalanced(plan.userFilter)) throw new Error('The brackets do not match');
  } catch (error) {
    throw new BadRequest(
      'AUTH_SETTING_NOT_VALID',
      `userSearchFilter: ${error instanceof Error ? error.message : 'is no filter'}`,
    );
  }
}
