import t from 'tap';
import { kerberosScheme } from '../../../packages/directory/kerberos.js';
import { pamScheme } from '../../../packages/directory/pam.js';
import { type ConfiguredGateway, configuredGateway } from './configured-gateway.js';
import { type Kdc, startKdc } from './kdc.js';
import { type PamPeer, startPam } from './saslauthd.js';
import { oddGroup, reader, type Slapd, startSlapd } from './slapd.js';

// Logins at real peers through a living gateway, which is configured through its API.

let slapd: Slapd;
let kdc: Kdc;
let pam: PamPeer;
let gate: ConfiguredGateway;
let keytab: string;
t.before(async () => {
  [slapd, kdc, pam] = await Promise.all([startSlapd(t), startKdc(t), startPam(t)]);
  await kdc.add('HTTP/localhost');
  await kdc.add('kim', 'sesame');
  await kdc.add('kim/ops', 'sesame');
  keytab = await kdc.keytab('http.keytab', 'HTTP/localhost');
  const { krb5Config, directory } = kdc;
  gate = await configuredGateway(t, {
    schemes: {
      kerberos: kerberosScheme({ krb5Config, replayCacheDirectory: directory }),
      pam: pamScheme({ socket: pam.socket }),
    },
  });
});

const profile = (cookie: string) => gate.ask('/ws/v2/profile/user', { headers: { cookie } });
const basic = (userName: string, password: string) => ({
  headers: { authorization: `Basic ${Buffer.from(`${userName}:${password}`).toString('base64')}` },
});

t.test('a directory: who comes first is administrator, who follows has no roles yet', async (t) => {
  await gate.configure({
    type: 'ldap',
    configuration: {
      Server: slapd.plainUrl,
      startTls: true,
      caFile: slapd.certificates.authority,
      userBaseDn: 'ou=people,dc=open',
    },
  });
  const ann = await gate.logIn('ANN', 'sesame');
  t.match(ann, { status: 200, body: { userName: 'ann', authScheme: 'ldap', roles: ['admin'] } });
  t.match(await profile(ann.cookie), { status: 200, body: { userName: 'ann' } });
  t.match(await gate.logIn('dee', 'pässwörd ☃ "\\'), { status: 403 });
  t.match(await gate.logIn('ann', 'wrong'), { status: 401, body: { code: 'LOGIN_FAILED' } });
  t.match(await gate.logIn('nobody', 'sesame'), { status: 401, body: { code: 'LOGIN_FAILED' } });
  t.match(await gate.ask('/ws/v2/profile/user', basic('ann', 'sesame')), {
    status: 200,
    body: { userName: 'ann' },
  });
  t.match(
    await gate.admin.getProfile(),
    { userName: 'admin', authScheme: 'password' },
    'local accounts go on',
  );
});

t.test('a session that was there before the login is not the one after it', async (t) => {
  const planted = 'headgate_session=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
  const login = await gate.logIn('ann', 'sesame', { cookie: planted });
  t.equal(login.status, 200);
  t.not(login.cookie, planted);
  t.equal((await profile(planted)).status, 401);
  const again = await gate.logIn('ann', 'sesame', { cookie: login.cookie });
  t.not(again.cookie, login.cookie);
  t.equal((await profile(login.cookie)).status, 401, 'and the one before is over');
  t.equal((await profile(again.cookie)).status, 200);
});

t.test('groups decide about roles', async (t) => {
  await gate.configure({
    type: 'ldap',
    configuration: {
      server: slapd.plainUrl,
      userBaseDn: 'ou=people,dc=closed',
      ...reader,
      groupSupport: 'true',
      roleBaseDn: 'ou=groups,dc=closed',
    },
    groupMapping: [
      { group: oddGroup, roles: ['operator'] },
      { group: 'ops', roles: ['developer'] },
    ],
  });
  t.match(await gate.logIn('ann', 'sesame'), { status: 200, body: { roles: ['developer', 'operator'] } });
  t.match(await gate.logIn('bob', 'sesame'), { status: 403 }, 'in a group that is not mapped');
  const got = await gate.admin.getAuthConfig();
  t.notMatch(JSON.stringify(got), reader.bindPassword.slice(0, 8));
});

t.test('names that try to be more, and passwords that are none', async (t) => {
  for (const [name, password] of [
    ['*', 'sesame'],
    ['ann)(uid=*', 'sesame'],
    ['*)(objectClass=*', 'sesame'],
    ['ann', ''],
    ['ann\0', 'sesame'],
    ['ann', 'sesame\0'],
  ] as const) {
    const { status } = await gate.logIn(name, password);
    t.ok(status === 401 || status === 400, `${JSON.stringify([name, password])}: ${status}`);
  }
});

t.test('a directory that is down: sessions go on, logins answer 502', async (t) => {
  const { cookie } = await gate.logIn('ann', 'sesame');
  await slapd.stop();
  t.match(await gate.logIn('ann', 'sesame'), { status: 502 });
  t.equal((await profile(cookie)).status, 200);
  t.match(await gate.admin.getProfile(), { userName: 'admin' });
});

t.test('PAM', async (t) => {
  const { userName, password, group } = pam.user;
  await gate.configure({
    type: 'pam',
    configuration: { serviceName: pam.serviceName, groupSupport: true },
    groupMapping: [{ group, roles: ['operator'] }],
  });
  t.match(await gate.logIn(userName, password), {
    status: 200,
    body: { userName, authScheme: 'pam', roles: ['operator'] },
  });
  t.match(await gate.logIn(userName, 'wrong'), { status: 401 });
});

t.test('Kerberos: a ticket opens a session, whose cookie is signed', async (t) => {
  await gate.configure({
    type: 'kerberos',
    configuration: {
      kerberosPrincipal: 'HTTP/localhost@EXAMPLE.ORG',
      kerberosKeytab: keytab,
      groupSupport: 'true',
      tokenValidity: '3',
      cookiePath: '/ws',
      signatureSecret: 'sixteen bytes or more',
    },
    groupMapping: [{ group: 'ops', roles: ['operator'] }],
  });
  const url = `${gate.baseUrl.replace('127.0.0.1', 'localhost')}/ws/v2/profile/user`;
  const none = await gate.ask('/ws/v2/profile/user');
  t.equal(none.status, 401);
  t.equal(none.headers.get('www-authenticate'), 'Negotiate');

  const answer = await kdc.curl(await kdc.tickets('kim/ops', 'sesame'), url);
  t.match(answer, / 200 /);
  t.match(answer, /www-authenticate: Negotiate [A-Za-z0-9+/=]{40,}/i, 'the client can check who we are');
  t.match(answer, /"userName":"kim"/);
  t.match(answer, /"roles":\["operator"\]/);
  const cookie = /set-cookie: ([^;]+); Path=\/ws;/i.exec(answer)?.[1] ?? '';
  t.match(cookie, /^headgate_session=[\w-]{43}\.[\w-]{43}$/);
  t.match(await profile(cookie), { status: 200, body: { userName: 'kim', authScheme: 'kerberos' } });
  t.match(await kdc.curl(undefined, url), / 401 /);
  t.match(await kdc.curl(await kdc.tickets('kim', 'sesame'), url), / 403 /, 'in no group');

  const [secret = '', signature = ''] = cookie.replace('headgate_session=', '').split('.');
  const other = `${secret.startsWith('A') ? 'B' : 'A'}${secret.slice(1)}`;
  for (const forged of [
    secret,
    `${secret}.`,
    `${other}.${signature}`,
    `${secret}.${signature.slice(0, -2)}AA`,
    `${cookie}.x`,
    '',
    '.',
  ]) {
    t.equal((await profile(`headgate_session=${forged}`)).status, 401, forged);
  }
  await new Promise((resolve) => setTimeout(resolve, 3100));
  t.equal((await profile(cookie)).status, 401, 'over after its time, and good for nothing more');
});
