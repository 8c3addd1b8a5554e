import type { LoginSchemeFactory, SchemeUser } from '../../lib/index.js';
import { BadRequest, MissingPackage, UnusableAnswer } from '../../lib/index.js';
import { type ConnectionLimits, type DirectoryConnection, type Ldapts, textsOf } from './ldap-connection.js';
import { groupAttributes, groupsOf, type Member } from './ldap-groups.js';
import { type DirectoryPlan, directoryPlan, isLoopback, nameFor, readAuthorities } from './ldap-plan.js';
import { createServers } from './ldap-servers.js';
import { filterFor, identityFor, isBalanced, isDnPattern, plainName } from './ldap-text.js';

export interface LdapOptions {
  /** Milliseconds to connect to one server, TLS included; then the next one is asked. Default: 3000. */
  readonly connectMillis?: number;
  /** Milliseconds for each answer of a server. Default: 5000. */
  readonly answerMillis?: number;
  /** Milliseconds for which a server that failed is asked last. Default: 30 seconds. */
  readonly avoidMillis?: number;
}

/**
 * Logs people in through an LDAP directory or Active Directory (types `ldap` and `ad`, `docs/identity.md`). Needs the
 * package `ldapts`. One connection for each login, closed with it.
 */
export function ldapScheme(options: LdapOptions = {}): LoginSchemeFactory<'ldap' | 'ad'> {
  const { connectMillis = 3000, answerMillis = 5000, avoidMillis = 30_000 } = options;
  const limits: ConnectionLimits = { connectMillis, answerMillis };
  return async (configuration, { clock, logger }) => {
    const plan = directoryPlan(configuration);
    const ca = configuration.caFile === undefined ? undefined : await readAuthorities(configuration.caFile);
    const ldapts = await loadLdapts();
    checkFilter(ldapts, plan);
    const open = plan.servers.filter(({ tls, host }) => tls === 'none' && !isLoopback(host));
    if (open.length > 0) {
      logger.warn(
        { servers: open.map(({ url }) => url) },
        'passwords cross the network as they are: use TLS',
      );
    }
    const servers = createServers({ ldapts, servers: plan.servers, ca, limits, avoidMillis, clock, logger });

    return {
      name: configuration.type,
      async login({ userName, password }, { signal }) {
        // Servers take a bind without a password for nobody's, and let it succeed (RFC 4513, 5.1.2).
        if (password === '' || userName.includes('\0')) return undefined;
        const typed = nameFor(plan, userName);
        const user = await servers.ask(signal, (connection) =>
          logIn(ldapts, plan, connection, typed, password),
        );
        if (user === 'ambiguous') logger.warn({ userName }, 'the name fits several entries of the directory');
        return typeof user === 'object' ? user : undefined;
      },
    };
  };
}

async function loadLdapts(): Promise<Ldapts> {
  try {
    return await import('ldapts');
  } catch (error) {
    throw new MissingPackage('Logging in through a directory', 'ldapts', error);
  }
}

type Found = SchemeUser | 'ambiguous' | undefined;

async function logIn(
  ldapts: Ldapts,
  plan: DirectoryPlan,
  connection: DirectoryConnection,
  typed: string,
  password: string,
): Promise<Found> {
  const { searcher } = plan;
  if (searcher.kind === 'self') {
    const identity = identityFor(searcher.pattern, typed);
    if (identity === undefined || !(await connection.bind(identity, password))) return undefined;
    if (isDnPattern(searcher.pattern)) return ofIdentity(ldapts, plan, connection, identity, typed);
  }
  if (searcher.kind === 'account') await bindAccount(connection, searcher);

  const base = plan.userBase ?? (await connection.namingContext());
  if (base === undefined)
    throw new UnusableAnswer('The directory', 'names no entry to search from: set userBaseDn');
  const filter = filterFor(plan.userFilter, typed);
  const entries = await connection.search(base, {
    scope: 'sub',
    filter,
    attributes: attributesOf(plan),
    max: 2,
  });
  if (entries.length > 1) return 'ambiguous';
  const [entry] = entries;
  // An entry without a name would be a bind of nobody.
  if (!entry || entry.dn === '' || !(await connection.bind(entry.dn, password))) return undefined;
  const userName = nameOf(textsOf(entry, plan.userIdAttribute));
  if (userName === undefined) return undefined;
  if (searcher.kind === 'account' && plan.groups) await bindAccount(connection, searcher);
  return withGroups(ldapts, plan, connection, { dn: entry.dn, userName, entry });
}

const attributesOf = ({ userIdAttribute, groups }: DirectoryPlan): readonly string[] => [
  userIdAttribute,
  ...groupAttributes(groups),
];

/** Somebody whose DN follows from the name, and who is bound by it: the entry says the name, when it may be read. */
async function ofIdentity(
  ldapts: Ldapts,
  plan: DirectoryPlan,
  connection: DirectoryConnection,
  dn: string,
  typed: string,
): Promise<Found> {
  const filter = plan.filterIsGiven ? filterFor(plan.userFilter, typed) : '(objectClass=*)';
  const query = { scope: 'base', filter, attributes: attributesOf(plan), max: 1 } as const;
  const [entry] = await connection.search(dn, query).catch((error: unknown) => {
    if (plan.filterIsGiven || !(error instanceof UnusableAnswer)) throw error;
    return [];
  });
  if (!entry && plan.filterIsGiven) return undefined;
  const userName = (entry && nameOf(textsOf(entry, plan.userIdAttribute))) ?? plainName(typed);
  if (userName === undefined) return undefined;
  return withGroups(ldapts, plan, connection, { dn: entry?.dn ?? dn, userName, entry });
}

/** One person has one name, also with several values: the first in the order of the alphabet. */
const nameOf = (values: readonly string[]): string | undefined => [...values].sort()[0];

async function bindAccount(
  connection: DirectoryConnection,
  account: { readonly dn: string; readonly password: string },
): Promise<void> {
  if (await connection.bind(account.dn, account.password)) return;
  throw new UnusableAnswer('The directory', 'refused bindDn with bindPassword');
}

async function withGroups(
  ldapts: Ldapts,
  { groups }: DirectoryPlan,
  connection: DirectoryConnection,
  member: Member,
): Promise<SchemeUser> {
  const { userName } = member;
  if (!groups) return { userName };
  return { userName, groups: await groupsOf(ldapts, groups, connection, member) };
}

/** The brackets are the configuration's alone: what parses once, parses for every name. */
function checkFilter(ldapts: Ldapts, plan: DirectoryPlan): void {
  try {
    ldapts.FilterParser.parseString(filterFor(plan.userFilter, 'somebody'));
    // The parser forgives brackets that are not closed.
    if (!isBalanced(plan.userFilter)) throw new Error('The brackets do not match');
  } catch (error) {
    throw new BadRequest(`userSearchFilter: ${error instanceof Error ? error.message : 'is no filter'}`);
  }
}
