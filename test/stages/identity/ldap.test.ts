import t from 'tap';
import { Unreachable } from '../../../lib/index.js';
import type { LogLine } from '../../helpers/gateway.js';
import { limitMillis } from '../../helpers/waiting.js';
import { directoryLogin } from './directory-login.js';
import { oddGroup, oddName, reader, type Slapd, startSlapd } from './slapd.js';

// Against OpenLDAP, in a process of its own.

let slapd: Slapd;
t.before(async () => {
  slapd = await startSlapd(t);
});

const open = { server: '', userBaseDn: 'ou=people,dc=open' };
const closed = { server: '', userBaseDn: 'ou=people,dc=closed', ...reader };

const person = (keys: Record<string, unknown>, userName: string, password = 'sesame', logs: LogLine[] = []) =>
  directoryLogin({ type: 'ldap', ...keys, server: keys.server || slapd.plainUrl }, userName, password, logs);

t.test('anonymous search: found by name, proved by a bind', async (t) => {
  t.strictSame(await person(open, 'ann'), { userName: 'ann' });
  t.strictSame(await person(open, 'ANN'), { userName: 'ann' }, 'one person, one name');
  t.strictSame(await person(open, 'asbob'), { userName: 'asbob' });
  t.strictSame(await person(open, 'bob'), { userName: 'asbob' }, 'also with two names');
  t.strictSame(await person(open, 'dee', 'pässwörd ☃ "\\'), { userName: 'Dee' });
  for (const [name, password] of [
    ['ann', 'wrong'],
    ['ann', 'Sesame'],
    ['nobody', 'sesame'],
    ['nopw', 'sesame'],
    ['eve', 'sesame'],
  ] as const) {
    t.equal(await person(open, name, password), undefined, `${name} ${password}`);
  }
});

t.test('an account that searches', async (t) => {
  t.strictSame(await person(closed, 'ann'), { userName: 'ann' });
  t.equal(await person(closed, 'ann', 'wrong'), undefined);
  await t.rejects(person({ ...closed, bindPassword: 'wrong' }, 'ann'), {
    status: 502,
    message: /refused bindDn with bindPassword/,
  });
  await t.rejects(person({ ...closed, userBaseDn: 'ou=nowhere,dc=closed' }, 'ann'), {
    status: 502,
    message: /refused the search/,
  });
  t.equal(
    await person({ ...open, userBaseDn: 'ou=people,dc=closed' }, 'ann').catch((error) => error.status),
    502,
  );
});

t.test('the DN from a pattern', async (t) => {
  const pattern = { authIdentity: 'cn={USERNAME},ou=people,dc=open' };
  t.strictSame(await person(pattern, 'Ann'), { userName: 'ann' }, 'the entry says the name');
  t.equal(await person(pattern, 'ann', 'wrong'), undefined);
  t.equal(await person(pattern, 'ann,ou=people,dc=open+cn=ann'), undefined);
  const staff = { ...pattern, userSearchFilter: '(employeeType=staff)' };
  t.strictSame(await person(staff, 'ann'), { userName: 'ann' });
  t.equal(await person(staff, 'bob'), undefined, 'the right password, and not one of them');
  const unreadable = { authIdentity: 'cn={USERNAME},ou=people,dc=closed' };
  t.strictSame(await person(unreadable, 'Ann'), { userName: 'ann' }, 'who may not read its own entry');
  t.equal(await person(unreadable, 'ann '), undefined, 'the directory takes it for ann');
  t.equal(await person({ authIdentity: '{USERNAME}' }, 'EXTERNAL'), undefined);
  t.equal(await person({ authIdentity: '{USERNAME}' }, 'PLAIN'), undefined);
});

t.test('a filter of the administrator', async (t) => {
  const byMail = { ...open, userSearchFilter: '(|(uid={USERNAME})(mail={USERNAME}))' };
  t.strictSame(await person(byMail, 'ann@example.org'), { userName: 'ann' });
  const logs: LogLine[] = [];
  t.equal(await person(byMail, 'shared@example.org', 'sesame', logs), undefined, 'two entries are nobody');
  t.match(logs, [{ level: 'warn', message: /several entries/ }]);
  t.equal(await person({ ...open, userSearchFilter: '(employeeType=staff)' }, 'bob'), undefined);
  t.strictSame(await person({ ...open, userSearchFilter: '(employeeType=staff)' }, 'ann'), {
    userName: 'ann',
  });
  t.strictSame(
    await person({ userSearchFilter: 'cn={USERNAME}' }, 'ann'),
    { userName: 'ann' },
    'no base given',
  );
});

t.test('a name that tries to be more is nobody', async (t) => {
  for (const name of [
    '*',
    'a*',
    'ann)(uid=*',
    '*)(|(uid=*',
    'ann\\2a',
    'ann\\00',
    'ann)',
    '(',
    '\\',
    ')(objectClass=*',
  ]) {
    t.equal(await person(open, name), undefined, name);
    t.equal(await person(closed, name), undefined, name);
  }
  t.strictSame(await person(open, oddName), { userName: oddName });
  const noted = await slapd.log();
  t.notMatch(noted, /filter="\(&\(objectClass=person\)\(uid=a?\*\)\)"/, 'no name became a pattern');
});

t.test('no password is no login, and the directory is not asked', async (t) => {
  const before = (await slapd.log()).length;
  t.equal(await person({ authIdentity: 'cn={USERNAME},ou=people,dc=open' }, 'ann', ''), undefined);
  t.equal(await person(open, 'ann', ''), undefined);
  t.equal(await person(open, 'a\0nn'), undefined);
  t.equal((await slapd.log()).length, before);
});

t.test('groups', async (t) => {
  const groups = { ...closed, groupSupport: true, roleBaseDn: 'ou=groups,dc=closed' };
  const of = async (keys: Record<string, unknown>, name: string) =>
    [...((await person(keys, name))?.groups ?? [])].sort();
  const ofOps = [oddGroup, 'ops', 'staff', 'all'].sort();
  t.strictSame(await of(groups, 'ann'), ofOps, 'groups of groups, in a circle');
  t.strictSame(await of(groups, oddName), ofOps, 'a member written in another way');
  t.strictSame(await of(groups, 'bob'), ['others']);
  t.strictSame(await person(groups, 'cyd'), { userName: 'cyd', groups: [] });
  t.equal(await person(groups, 'ann', 'wrong'), undefined);
  t.strictSame(await of({ ...groups, roleObjectClass: 'posixGroup', userRdnAttribute: 'memberUid' }, 'ANN'), [
    'unix',
  ]);
  const own = {
    authIdentity: 'cn={USERNAME},ou=people,dc=open',
    groupSupport: true,
    roleBaseDn: 'ou=groups,dc=open',
  };
  t.strictSame(await of(own, 'bob'), ['others'], 'read by the person');
});

t.test('TLS: first, asked for, and checked', async (t) => {
  const { plainUrl, tlsUrl, certificates } = slapd;
  const caFile = certificates.authority;
  t.strictSame(await person({ ...open, server: tlsUrl, caFile }, 'ann'), { userName: 'ann' });
  t.strictSame(await person({ ...open, server: plainUrl, startTls: true, caFile }, 'ann'), {
    userName: 'ann',
  });
  t.strictSame(await person({ ...open, server: tlsUrl.replace('127.0.0.1', 'localhost'), caFile }, 'ann'), {
    userName: 'ann',
  });
  t.equal(await person({ ...open, server: plainUrl, startTls: true, caFile }, 'ann', 'wrong'), undefined);

  const byOtherName = tlsUrl.replace('127.0.0.1', '127.0.0.2');
  for (const keys of [
    { server: tlsUrl },
    { server: plainUrl, startTls: true },
    { server: byOtherName, caFile },
    { server: plainUrl.replace('127.0.0.1', '127.0.0.2'), startTls: true, caFile },
  ]) {
    await t.rejects(person({ ...open, ...keys }, 'ann'), Unreachable, JSON.stringify(keys));
  }
  const strict = { userBaseDn: 'ou=people,dc=strict' };
  await t.rejects(person({ ...strict, server: plainUrl }, 'ann'), { status: 502, message: /over TLS only/ });
  t.strictSame(await person({ ...strict, server: plainUrl, startTls: true, caFile }, 'ann'), {
    userName: 'ann',
  });
});

t.test('several servers: the next one when one is down', async (t) => {
  const logs: LogLine[] = [];
  const server = `ldap://127.0.0.1:1 ${slapd.plainUrl}`;
  t.strictSame(await person({ ...open, server }, 'ann', 'sesame', logs), { userName: 'ann' });
  t.match(logs, [{ level: 'warn', fields: { server: 'ldap://127.0.0.1:1' } }]);
  t.equal(await person({ ...open, server }, 'ann', 'wrong'), undefined, 'and what it says is the answer');
});

t.test('thirty logins at once, and no connection is left', async (t) => {
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, at) => person(closed, 'ann', at % 2 === 0 ? 'sesame' : 'wrong')),
  );
  t.equal(answers.filter((answer) => answer?.userName === 'ann').length, 15);
  const counts = async () => {
    const log = await slapd.log();
    return [log.match(/ ACCEPT from /g)?.length, log.match(/ fd=\d+ closed/g)?.length];
  };
  const until = Date.now() + limitMillis;
  let [accepted, ended] = await counts();
  while (accepted !== ended && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    [accepted, ended] = await counts();
  }
  t.equal(ended, accepted);
});

t.test('a directory that goes away and comes back', async (t) => {
  await slapd.stop('SIGKILL');
  await t.rejects(person(open, 'ann'), Unreachable);
  slapd = await startSlapd(t);
  t.strictSame(await person(open, 'ann'), { userName: 'ann' });
});
