import { UnusableAnswer } from 'headgate/driver-kit';
import type { Entry, Filter } from 'ldapts';
import { type DirectorySearch, type Ldapts, textsOf } from './ldap-connection.js';
import type { GroupPlan } from './ldap-plan.js';

/** Groups of one person; more are left out. */
const maxGroups = 1000;
/** Groups of groups of groups: deeper ones are left out. */
const maxLevels = 10;
/** Members that are asked for in one search. */
const membersAtOnce = 100;

/** Somebody who has logged in. */
export interface Member {
  readonly dn: string;
  readonly userName: string;
  /** The entry, with `groupAttributes`. */
  readonly entry: Entry | undefined;
}

/** What must be read of a person's entry to find the groups. */
export const groupAttributes = (groups: GroupPlan | undefined): readonly string[] =>
  groups?.nested === 'by the server' ? ['objectSid', 'primaryGroupID'] : [];

/** The names of all groups of somebody, those included that contain one of them. */
export async function groupsOf(
  ldapts: Ldapts,
  plan: GroupPlan,
  connection: DirectorySearch,
  member: Member,
): Promise<readonly string[]> {
  const { AndFilter, EqualityFilter } = ldapts;
  const isGroup = new EqualityFilter({ attribute: 'objectClass', value: plan.objectClass });
  const groupsThat = (isMeant: Filter, max: number) =>
    connection.search(plan.base, {
      scope: 'sub',
      filter: new AndFilter({ filters: [isGroup, isMeant] }),
      attributes: [plan.nameAttribute],
      max,
    });
  const entries =
    plan.nested === 'by the server'
      ? await groupsThat(await inChain(ldapts, plan, connection, member), maxGroups)
      : await levelByLevel(ldapts, plan, member, groupsThat);
  return entries.flatMap((entry) => textsOf(entry, plan.nameAttribute));
}

/** The groups, the groups that they are members of, and so on. A directory may have circles. */
async function levelByLevel(
  { EqualityFilter, OrFilter }: Ldapts,
  { memberAttribute, nested }: GroupPlan,
  { dn, userName }: Member,
  groupsThat: (isMeant: Filter, max: number) => Promise<readonly Entry[]>,
): Promise<readonly Entry[]> {
  const found = new Map<string, Entry>();
  // Groups of the system's own kind name their members by user name (RFC 2307), and no groups.
  let members = [nested === 'no' ? userName : dn];
  for (let level = 0; members.length > 0 && level < (nested === 'no' ? 1 : maxLevels); level++) {
    const next: string[] = [];
    for (let at = 0; at < members.length && found.size < maxGroups; at += membersAtOnce) {
      const filters = members
        .slice(at, at + membersAtOnce)
        .map((value) => new EqualityFilter({ attribute: memberAttribute, value }));
      for (const entry of await groupsThat(new OrFilter({ filters }), maxGroups)) {
        const key = entry.dn.toLowerCase();
        if (found.has(key) || found.size === maxGroups) continue;
        found.set(key, entry);
        next.push(entry.dn);
      }
    }
    members = next;
  }
  return [...found.values()];
}

/** Active Directory: the members, their members, and so on (`LDAP_MATCHING_RULE_IN_CHAIN`). */
const chainRule = '1.2.840.113556.1.4.1941';

/** The primary group (`Domain Users`) does not list its members: they name it. */
async function inChain(
  { EqualityFilter, ExtensibleFilter, OrFilter }: Ldapts,
  { memberAttribute }: GroupPlan,
  connection: DirectorySearch,
  { dn, entry }: Member,
): Promise<Filter> {
  const containing = (value: string) =>
    new ExtensibleFilter({ matchType: memberAttribute, rule: chainRule, value });
  const sid = entry && primaryGroupSid(entry);
  const primary = sid === undefined ? undefined : await dnOfSid(connection, sid);
  if (primary === undefined) return containing(dn);
  const isPrimary = new EqualityFilter({ attribute: 'distinguishedName', value: primary });
  return new OrFilter({ filters: [containing(dn), isPrimary, containing(primary)] });
}

/** `undefined` also for a group that we may not read. */
async function dnOfSid(connection: DirectorySearch, sid: string): Promise<string | undefined> {
  const query = { scope: 'base', filter: '(objectClass=*)', attributes: ['cn'], max: 1 } as const;
  const [entry] = await connection.search(`<SID=${sid}>`, query).catch((error: unknown) => {
    if (error instanceof UnusableAnswer) return [];
    throw error;
  });
  return entry?.dn;
}

/** The person's own identifier with another end: both are of one domain. `undefined`: the entry does not say. */
export function primaryGroupSid(entry: Readonly<Record<string, unknown>>): string | undefined {
  const { objectSid, primaryGroupID } = entry;
  if (!Buffer.isBuffer(objectSid) || !/^\d{1,10}$/.test(String(primaryGroupID))) return undefined;
  const count = objectSid[1] ?? 0;
  if (count < 2 || objectSid.length !== 8 + 4 * count) return undefined;
  const domain = Array.from({ length: count - 1 }, (_, i) => objectSid.readUInt32LE(8 + 4 * i));
  return ['S', objectSid[0], objectSid.readUIntBE(2, 6), ...domain, String(primaryGroupID)].join('-');
}
