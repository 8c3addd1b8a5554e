import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP, isIPv6 } from 'node:net';
import { BadRequest } from 'headgate/driver-kit';
import { hasPlaceholder, withoutDomain } from './ldap-text.js';

/** The configuration of a directory, as it is checked already. */
interface DirectoryConfiguration {
  readonly type: 'ldap' | 'ad';
  readonly groupSupport: boolean;
  readonly server: string;
  readonly Port?: number | undefined;
  readonly startTls: boolean;
  readonly caFile?: string | undefined;
  readonly userBaseDn?: string | undefined;
  readonly authIdentity?: string | undefined;
  readonly userSearchFilter?: string | undefined;
  readonly userIdAttribute?: string | undefined;
  readonly userObjectClass?: string | undefined;
  readonly bindDn?: string | undefined;
  readonly bindPassword?: string | undefined;
  readonly roleBaseDn?: string | undefined;
  readonly userRdnAttribute?: string | undefined;
  readonly roleNameAttribute?: string | undefined;
  readonly roleObjectClass?: string | undefined;
  readonly userDomain?: string | undefined;
}

export interface DirectoryServer {
  /** `ldap://host:port` or `ldaps://host:port`. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (`ldaps:`), after asking for it (StartTLS), or none: passwords cross the network as they are. */
  readonly tls: 'first' | 'asked' | 'none';
}

/** As whom the directory is searched for the person: nobody, an account for it, or the person, who then has to be known first. */
export type Searcher =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'account'; readonly dn: string; readonly password: string }
  | { readonly kind: 'self'; readonly pattern: string };

/** What a login does, every default filled in. */
export interface DirectoryPlan {
  readonly servers: readonly DirectoryServer[];
  /** PEM; absent: the usual authorities. */
  readonly ca?: string;
  readonly searcher: Searcher;
  /** Absent: asked of the server. */
  readonly userBase?: string;
  /** With `{USERNAME}`. */
  readonly userFilter: string;
  /** Somebody is an entry that the filter finds, also where the person's DN is known without a search. */
  readonly filterIsGiven: boolean;
  readonly userIdAttribute: string;
  readonly userDomain?: string;
  readonly groups?: GroupPlan;
}

export interface GroupPlan {
  readonly base: string;
  readonly objectClass: string;
  readonly nameAttribute: string;
  readonly memberAttribute: string;
  /** Who finds the groups that contain one of somebody's groups. */
  readonly nested: 'by the server' | 'by us' | 'no';
}

const defaults = {
  ldap: { userId: 'uid', roleClass: 'groupOfUniqueNames', member: 'uniqueMember' },
  ad: { userId: 'sAMAccountName', roleClass: 'group', member: 'member' },
};

/** Throws `BadRequest` for what can't work. */
export function directoryPlan(configuration: DirectoryConfiguration): DirectoryPlan {
  const { type, userBaseDn, userDomain, userSearchFilter } = configuration;
  const userIdAttribute = attribute(configuration, 'userIdAttribute', defaults[type].userId);
  const userObjectClass = attribute(configuration, 'userObjectClass', 'person');
  const byId = `(${userIdAttribute}={USERNAME})`;
  const given = userSearchFilter === undefined ? undefined : inBrackets(userSearchFilter);
  const userFilter =
    given === undefined
      ? `(&(objectClass=${userObjectClass})${byId})`
      : hasPlaceholder(given)
        ? given
        : `(&${given}${byId})`;
  const groups = groupPlan(configuration);
  return {
    servers: serversOf(configuration),
    searcher: searcherOf(configuration),
    ...(userBaseDn === undefined ? {} : { userBase: userBaseDn }),
    userFilter,
    filterIsGiven: given !== undefined,
    userIdAttribute,
    ...(userDomain === undefined ? {} : { userDomain }),
    ...(groups === undefined ? {} : { groups }),
  };
}

function searcherOf(configuration: DirectoryConfiguration): Searcher {
  const { authIdentity, bindDn, bindPassword, userDomain, userBaseDn, userSearchFilter } = configuration;
  if (bindDn !== undefined) {
    if (bindPassword === undefined)
      throw new BadRequest('AUTH_SETTING_NOT_VALID', 'bindDn needs bindPassword');
    return { kind: 'account', dn: bindDn, password: bindPassword };
  }
  if (authIdentity !== undefined) {
    if (!hasPlaceholder(authIdentity))
      throw new BadRequest('AUTH_SETTING_NOT_VALID', 'authIdentity needs {USERNAME} where the name goes');
    return { kind: 'self', pattern: authIdentity };
  }
  if (userDomain !== undefined) {
    return { kind: 'self', pattern: `{USERNAME}@${userDomain.replace(/^@/, '')}` };
  }
  if (userBaseDn === undefined && userSearchFilter === undefined) {
    throw new BadRequest(
      'AUTH_SETTING_NOT_VALID',
      'One of userBaseDn, authIdentity and userSearchFilter must be given',
    );
  }
  return { kind: 'anonymous' };
}

function groupPlan(configuration: DirectoryConfiguration): GroupPlan | undefined {
  const { type, groupSupport, roleBaseDn } = configuration;
  if (!groupSupport) return undefined;
  if (roleBaseDn === undefined) {
    throw new BadRequest(
      'AUTH_SETTING_NOT_VALID',
      'groupSupport needs roleBaseDn, the parent entry of the groups',
    );
  }
  const memberAttribute = attribute(configuration, 'userRdnAttribute', defaults[type].member);
  return {
    base: roleBaseDn,
    objectClass: attribute(configuration, 'roleObjectClass', defaults[type].roleClass),
    nameAttribute: attribute(configuration, 'roleNameAttribute', 'cn'),
    memberAttribute,
    nested: memberAttribute.toLowerCase() === 'memberuid' ? 'no' : type === 'ad' ? 'by the server' : 'by us',
  };
}

type AttributeKey =
  | 'userIdAttribute'
  | 'userObjectClass'
  | 'roleObjectClass'
  | 'roleNameAttribute'
  | 'userRdnAttribute';

function attribute(configuration: DirectoryConfiguration, key: AttributeKey, whenAbsent: string): string {
  const value = configuration[key] ?? whenAbsent;
  if (!/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(value))
    throw new BadRequest('AUTH_SETTING_NOT_VALID', `${key}: ${value} is no name of a schema`);
  return value;
}

const inBrackets = (filter: string): string => (filter.startsWith('(') ? filter : `(${filter})`);

/** More than this are a mistake: each one may cost a time-out. */
const maxServers = 8;

function serversOf({ server, Port, startTls }: DirectoryConfiguration): readonly DirectoryServer[] {
  const parts = server.split(/[\s,]+/).filter((part) => part !== '');
  if (parts.length === 0) throw new BadRequest('AUTH_SETTING_NOT_VALID', 'server: name at least one');
  if (parts.length > maxServers)
    throw new BadRequest('AUTH_SETTING_NOT_VALID', `server: more than ${maxServers}`);
  return parts.map((part) => serverOf(part, Port, startTls));
}

function serverOf(text: string, port: number | undefined, startTls: boolean): DirectoryServer {
  // ldapts misreads them.
  if (isIPv6(text) || text.includes('[')) {
    throw new BadRequest(
      'AUTH_SETTING_NOT_VALID',
      `server: ${text}: name the server by its name, not by an IPv6 address`,
    );
  }
  const isUrl = /^[a-z]+:\/\//i.test(text);
  const url = parsed(isUrl ? text : `ldap://${text}`);
  if (!url || !/^ldaps?:$/.test(url.protocol) || url.hostname === '') {
    throw new BadRequest(
      'AUTH_SETTING_NOT_VALID',
      `server: ${text} is no host and no URL with ldap: or ldaps:`,
    );
  }
  if (url.username !== '' || !/^\/?$/.test(url.pathname) || url.search !== '') {
    throw new BadRequest(
      'AUTH_SETTING_NOT_VALID',
      `server: ${text}: only scheme, host and port; the base of the search is userBaseDn`,
    );
  }
  const isSecure = url.protocol === 'ldaps:';
  if (isSecure && startTls)
    throw new BadRequest('AUTH_SETTING_NOT_VALID', 'startTls is for ldap:, not for ldaps:');
  const at = url.port === '' ? (port ?? (isSecure ? 636 : 389)) : Number(url.port);
  return {
    url: `${url.protocol}//${url.hostname}:${at}`,
    host: url.hostname,
    port: at,
    tls: isSecure ? 'first' : startTls ? 'asked' : 'none',
  };
}

function parsed(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

const maxCaBytes = 1024 * 1024;

/** Rejects with `BadRequest` when there are no certificates in the file. */
export async function readAuthorities(path: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new BadRequest('AUTH_FILE_NOT_USABLE', `caFile: ${path} can't be read (${codeOf(error)})`);
  }
  const blocks =
    text.length > maxCaBytes
      ? []
      : text
          .split('-----BEGIN CERTIFICATE-----')
          .slice(1)
          .map((block) => `-----BEGIN CERTIFICATE-----${block}`);
  if (blocks.length === 0)
    throw new BadRequest('AUTH_FILE_NOT_USABLE', `caFile: ${path} is no file of certificates in PEM form`);
  try {
    for (const block of blocks) new X509Certificate(block);
  } catch {
    throw new BadRequest('AUTH_FILE_NOT_USABLE', `caFile: ${path} has a damaged certificate`);
  }
  return text;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'it is damaged';

/** Loopback needs no TLS to keep passwords from others. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || (isIP(host) === 4 && host.startsWith('127.'));

export const nameFor = (plan: DirectoryPlan, typed: string): string => withoutDomain(typed, plan.userDomain);
