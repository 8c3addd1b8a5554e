import t from 'tap';
import { Unreachable } from '../../../lib/index.js';
import { directoryLogin } from './directory-login.js';
import { adminPassword, type Samba, startSamba } from './samba.js';

// Against a domain controller of Samba; started by `ad.test.ts` in a network of its own.

t.setTimeout(280_000);

const users = 'cn=users,dc=ad,dc=example,dc=org';
const password = 'Sesame-0f-Ann';

let samba: Samba;
t.before(async () => {
  samba = await startSamba(t);
  const { tool } = samba;
  for (const name of ['ann', 'bob', 'off', 'searcher']) await tool('user', 'create', name, password);
  await tool('user', 'disable', 'off');
  for (const name of ['Ops', 'Staff (all) & é', 'Everybody']) await tool('group', 'add', name);
  // ann is one of the ops, who are staff, who are everybody.
  await tool('group', 'addmembers', 'Ops', 'ann');
  await tool('group', 'addmembers', 'Staff (all) & é', 'Ops');
  await tool('group', 'addmembers', 'Everybody', 'Staff (all) & é');
});

const account = { userBaseDn: users, bindDn: 'searcher@ad.example.org', bindPassword: password };
const person = (keys: Record<string, unknown>, userName: string, typed = password) => {
  const tls = { server: 'ldaps://localhost', caFile: samba.caFile };
  return directoryLogin({ type: 'ad', ...tls, ...keys }, userName, typed);
};

t.test('an account of the domain searches', async (t) => {
  t.strictSame(await person(account, 'ann'), { userName: 'ann' });
  t.strictSame(await person(account, 'ANN'), { userName: 'ann' });
  t.strictSame(await person({ ...account, userDomain: 'ad.example.org' }, 'Ann@AD.example.org'), {
    userName: 'ann',
  });
  t.strictSame(await person({ ...account, bindDn: 'ADEX\\searcher' }, 'ann'), { userName: 'ann' });
  for (const [name, typed] of [
    ['ann', 'wrong'],
    ['nobody', password],
    ['off', password],
    ['ann', ''],
    ['*', password],
    ['ann)(cn=*', password],
  ] as const) {
    t.equal(await person(account, name, typed), undefined, `${name} ${typed}`);
  }
  await t.rejects(person({ ...account, bindPassword: 'wrong' }, 'ann'), {
    status: 502,
    message: /refused bindDn/,
  });
});

t.test('people bind as name@domain', async (t) => {
  const own = { userDomain: 'ad.example.org', userBaseDn: users };
  t.strictSame(await person(own, 'Ann'), { userName: 'ann' });
  t.strictSame(await person(own, 'ann@ad.example.org'), { userName: 'ann' });
  t.equal(await person(own, 'ann', 'wrong'), undefined);
  t.equal(await person(own, 'off'), undefined);
  for (const name of ['ADEX\\ann', `cn=ann,${users}`, 'ann@other.example.org', 'Administrator,cn=x']) {
    t.equal(await person(own, name), undefined, name);
  }
  t.strictSame(await person(own, 'administrator', adminPassword), { userName: 'Administrator' });
  t.strictSame(
    await person({ userDomain: 'ad.example.org' }, 'ann'),
    { userName: 'ann' },
    'the base is the domain',
  );
});

t.test('who logs in is not yet who the search finds', async (t) => {
  const own = { userDomain: 'ad.example.org', userBaseDn: users };
  await samba.tool('user', 'create', 'mallory', 'Mallory-has-0ne');
  await samba.tool('user', 'create', 'victim', password, '--description=mallory');
  t.strictSame(await person(own, 'mallory', 'Mallory-has-0ne'), { userName: 'mallory' });
  const byDescription = { ...own, userSearchFilter: '(description={USERNAME})' };
  t.equal(
    await person(byDescription, 'mallory', 'Mallory-has-0ne'),
    undefined,
    'the entry found has another password',
  );
});

t.test('groups, and groups of groups', async (t) => {
  const groups = { ...account, groupSupport: true, roleBaseDn: users };
  const of = async (name: string) => [...((await person(groups, name))?.groups ?? [])].sort();
  // `Users` is a group of the system that contains `Domain Users`, but does not stand below `roleBaseDn`.
  t.strictSame(await of('ann'), ['Domain Users', 'Everybody', 'Ops', 'Staff (all) & é']);
  t.strictSame(await of('bob'), ['Domain Users'], 'the primary group, which lists no members');
  await samba.tool('group', 'addmembers', 'Staff (all) & é', 'Domain Users');
  t.strictSame(await of('bob'), ['Domain Users', 'Everybody', 'Staff (all) & é'], 'and what contains it');
  const own = { userDomain: 'ad.example.org', groupSupport: true, roleBaseDn: 'dc=ad,dc=example,dc=org' };
  t.match((await person(own, 'bob'))?.groups?.includes('Users'), true, 'read by the person');
});

t.test('TLS is needed, and checked', async (t) => {
  await t.rejects(person({ ...account, server: 'ldap://localhost', caFile: undefined }, 'ann'), {
    status: 502,
    message: /over TLS only/,
  });
  t.strictSame(await person({ ...account, server: 'ldap://localhost', startTls: true }, 'ann'), {
    userName: 'ann',
  });
  await t.rejects(person({ ...account, caFile: undefined }, 'ann'), Unreachable);
});
