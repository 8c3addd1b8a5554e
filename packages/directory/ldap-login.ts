import { type SchemeUser, UnusableAnswer } from 'headgate/driver-kit';
import type { Entry } from 'ldapts';
import { type DirectoryConnection, type DirectorySearch, type Ldapts, textsOf } from './ldap-connection.js';
import { groupAttributes, groupsOf, type Member } from './ldap-groups.js';
import type { DirectoryPlan, Searcher } from './ldap-plan.js';
import type { Directory } from './ldap-servers.js';
import { filterFor, identityFor, isDnPattern, plainName } from './ldap-text.js';

/** `ambiguous`: the name fits several entries. `undefined`: nobody, or the password is wrong. */
type Found<One> = One | 'ambiguous' | undefined;

export async function logIn(
  ldapts: Ldapts,
  plan: DirectoryPlan,
  directory: Directory,
  typed: string,
  password: string,
): Promise<Found<SchemeUser>> {
  const { searcher, groups } = plan;
  if (searcher.kind === 'self') {
    return directory.alone((own) => bySelf(ldapts, plan, own, searcher.pattern, typed, password));
  }
  const entry = await directory.searching((search) => entryOf(plan, search, typed));
  if (entry === undefined || entry === 'ambiguous') return entry;
  // People may see more than nobody: they find their groups themselves.
  if (searcher.kind === 'anonymous') {
    return directory.alone((own) => byEntry(ldapts, plan, own, entry, password));
  }
  const member = await directory.alone((own) => proved(plan, own, entry, password));
  if (!member || !groups) return member && { userName: member.userName };
  return directory.searching((search) => withGroups(ldapts, plan, search, member));
}

/** Makes a connection that of who searches, where that is not each person for itself. */
export async function introduce(searcher: Searcher, connection: DirectoryConnection): Promise<void> {
  if (searcher.kind !== 'account' || (await connection.bind(searcher.dn, searcher.password))) return;
  throw new UnusableAnswer('The directory', 'refused bindDn with bindPassword');
}

async function entryOf(plan: DirectoryPlan, search: DirectorySearch, typed: string): Promise<Found<Entry>> {
  const base = plan.userBase ?? (await search.namingContext());
  if (base === undefined)
    throw new UnusableAnswer('The directory', 'names no entry to search from: set userBaseDn');
  const entries = await search.search(base, {
    scope: 'sub',
    filter: filterFor(plan.userFilter, typed),
    attributes: attributesOf(plan),
    max: 2,
  });
  return entries.length > 1 ? 'ambiguous' : entries[0];
}

/** The connection is the person's afterwards. */
async function proved(
  plan: DirectoryPlan,
  own: DirectoryConnection,
  entry: Entry,
  password: string,
): Promise<Member | undefined> {
  // An entry without a name would be a bind of nobody.
  if (entry.dn === '' || !(await own.bind(entry.dn, password))) return undefined;
  const userName = nameOf(textsOf(entry, plan.userIdAttribute));
  return userName === undefined ? undefined : { dn: entry.dn, userName, entry };
}

async function byEntry(
  ldapts: Ldapts,
  plan: DirectoryPlan,
  own: DirectoryConnection,
  entry: Entry,
  password: string,
): Promise<SchemeUser | undefined> {
  const member = await proved(plan, own, entry, password);
  return member && withGroups(ldapts, plan, own, member);
}

async function bySelf(
  ldapts: Ldapts,
  plan: DirectoryPlan,
  own: DirectoryConnection,
  pattern: string,
  typed: string,
  password: string,
): Promise<Found<SchemeUser>> {
  const identity = identityFor(pattern, typed);
  if (identity === undefined || !(await own.bind(identity, password))) return undefined;
  if (isDnPattern(pattern)) return ofIdentity(ldapts, plan, own, identity, typed);
  const entry = await entryOf(plan, own, typed);
  if (entry === undefined || entry === 'ambiguous') return entry;
  return byEntry(ldapts, plan, own, entry, password);
}

const attributesOf = ({ userIdAttribute, groups }: DirectoryPlan): readonly string[] => [
  userIdAttribute,
  ...groupAttributes(groups),
];

/** Somebody whose DN follows from the name, and who is bound by it: the entry says the name, when it may be read. */
async function ofIdentity(
  ldapts: Ldapts,
  plan: DirectoryPlan,
  search: DirectorySearch,
  dn: string,
  typed: string,
): Promise<SchemeUser | undefined> {
  const filter = plan.filterIsGiven ? filterFor(plan.userFilter, typed) : '(objectClass=*)';
  const query = { scope: 'base', filter, attributes: attributesOf(plan), max: 1 } as const;
  const [entry] = await search.search(dn, query).catch((error: unknown) => {
    if (plan.filterIsGiven || !(error instanceof UnusableAnswer)) throw error;
    return [];
  });
  if (!entry && plan.filterIsGiven) return undefined;
  const userName = (entry && nameOf(textsOf(entry, plan.userIdAttribute))) ?? plainName(typed);
  if (userName === undefined) return undefined;
  return withGroups(ldapts, plan, search, { dn: entry?.dn ?? dn, userName, entry });
}

/** One person has one name, also with several values: the first in the order of the alphabet. */
const nameOf = (values: readonly string[]): string | undefined => [...values].sort()[0];

async function withGroups(
  ldapts: Ldapts,
  { groups }: DirectoryPlan,
  search: DirectorySearch,
  member: Member,
): Promise<SchemeUser> {
  const { userName } = member;
  if (!groups) return { userName };
  return { userName, groups: await groupsOf(ldapts, groups, search, member) };
}
