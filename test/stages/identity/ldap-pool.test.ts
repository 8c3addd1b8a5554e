import { readFile } from 'node:fs/promises';
import t from 'tap';
import { type LoginScheme, Unreachable } from '../../../lib/index.js';
import { AuthConfiguration } from '../../../lib/model/auth-configuration.js';
import { type LdapOptions, ldapScheme } from '../../../packages/directory/ldap.js';
import { openConnection } from '../../../packages/directory/ldap-connection.js';
import { type LogLine, loggerInto } from '../../helpers/gateway.js';
import { until } from '../../helpers/waiting.js';
import { configuredGateway } from './configured-gateway.js';
import type { Teardown } from './peer.js';
import { type Relay, startRelay } from './relay.js';
import { oddName, reader, type Slapd, startSlapd } from './slapd.js';

// Connections to OpenLDAP that are kept and shared, through a relay that ends them.

let slapd: Slapd;
t.before(async () => {
  slapd = await startSlapd(t);
});

const portOf = (url: string) => Number(new URL(url).port);
const throughRelay = (t: Teardown, url = slapd.plainUrl) => startRelay(t, portOf(url));
const groups = { groupSupport: true, roleBaseDn: 'ou=groups,dc=closed' };
const closed = { userBaseDn: 'ou=people,dc=closed', ...reader, ...groups };

async function scheme(
  t: Teardown,
  keys: Record<string, unknown>,
  options: LdapOptions = {},
  logs: LogLine[] = [],
): Promise<LoginScheme> {
  const configuration = AuthConfiguration.parse({ type: 'ldap', ...keys });
  if (configuration.type !== 'ldap') throw new Error('no directory');
  const made = await ldapScheme(options)(configuration, {
    clock: { now: () => 0, monotonic: () => performance.now() },
    logger: loggerInto(logs),
  });
  t.teardown(() => made.close?.());
  return made;
}

const login = async (one: LoginScheme, userName = 'ann', password = 'sesame') =>
  one.login?.({ userName, password }, { signal: AbortSignal.timeout(20_000) });

/** What slapd noted since: for each connection the names that were bound on it, or tried. */
async function bindsSince(start: number): Promise<readonly (readonly string[])[]> {
  const noted = (await slapd.log()).slice(start);
  const byConnection = new Map<string, string[]>();
  for (const [, connection = '', dn = ''] of noted.matchAll(/conn=(\d+) .* BIND dn="([^"]*)" method=128/g)) {
    byConnection.set(connection, [...(byConnection.get(connection) ?? []), dn]);
  }
  return [...byConnection.values()];
}
const isReaders = (names: readonly string[]) => names.includes(reader.bindDn);

t.test('searches share a connection; each password is proved on one of its own', async (t) => {
  const relay = await throughRelay(t);
  const start = (await slapd.log()).length;
  const one = await scheme(t, { ...closed, server: `ldap://127.0.0.1:${relay.port}` });
  for (let times = 0; times < 5; times++) t.match(await login(one), { userName: 'ann' });
  t.equal(await login(one, 'nobody'), undefined);
  t.equal(await login(one, 'ann', 'wrong'), undefined);
  t.equal(relay.sent.length, 7, 'six for passwords, and one for all searches');
  const binds = await bindsSince(start);
  t.strictSame(binds.filter(isReaders), [[reader.bindDn]], 'bound once, and nobody else was');
  t.equal(
    binds.filter((names) => !isReaders(names)).every((names) => names.length === 1),
    true,
  );
  await until(
    async () => relay.open,
    (open) => open === 1,
  );
});

t.test('many at once: no more connections than are allowed, and nobody is taken for another', async (t) => {
  const relay = await throughRelay(t);
  const start = (await slapd.log()).length;
  const server = `ldap://127.0.0.1:${relay.port}`;
  const one = await scheme(t, { ...closed, server }, { searchConnections: 3 });
  const names = ['ann', 'bob', 'cyd', oddName, 'nobody'];
  const asked = Array.from({ length: 60 }, (_, at) => ({
    userName: names[at % names.length] ?? '',
    password: at % 4 === 0 ? 'wrong' : 'sesame',
  }));
  const answers = await Promise.all(asked.map(({ userName, password }) => login(one, userName, password)));
  const known: Record<string, string> = { ann: 'ann', bob: 'asbob', cyd: 'cyd', [oddName]: oddName };
  t.strictSame(
    answers.map((user) => user?.userName),
    asked.map(({ userName, password }) => (password === 'sesame' ? known[userName] : undefined)),
  );
  t.ok(answers.every((user) => user?.userName !== 'asbob' || user.groups?.join() === 'others'));
  const binds = await bindsSince(start);
  t.ok(binds.filter(isReaders).length <= 3);
  t.ok(binds.filter(isReaders).every((bound) => bound.every((name) => name === reader.bindDn)));
});

t.test('nobody searches on a shared connection too, and the groups are the person’s to find', async (t) => {
  const relay = await throughRelay(t);
  const start = (await slapd.log()).length;
  const server = `ldap://127.0.0.1:${relay.port}`;
  const own = { userBaseDn: 'ou=people,dc=open', groupSupport: true, roleBaseDn: 'ou=groups,dc=open' };
  const one = await scheme(t, { ...own, server });
  for (let times = 0; times < 3; times++) t.match((await login(one, 'bob'))?.groups, ['others']);
  t.equal(relay.sent.length, 4);
  t.equal((await bindsSince(start)).length, 3, 'nobody is bound on the shared one');
});

t.test('a connection ends with its socket: nothing is asked as nobody, or in clear', async (t) => {
  const ca = await readFile(slapd.certificates.authority, 'utf8');
  const ldapts = await import('ldapts');
  for (const [tls, url] of [
    ['none', slapd.plainUrl],
    ['asked', slapd.plainUrl],
    ['first', slapd.tlsUrl],
  ] as const) {
    const { port, ...relay } = await throughRelay(t, url);
    const server = { url: `${new URL(url).protocol}//127.0.0.1:${port}`, host: '127.0.0.1', port, tls };
    const limits = { connectMillis: 3000, answerMillis: 3000 };
    const signal = AbortSignal.timeout(20_000);
    const connection = await openConnection(ldapts, { server, ca, limits }, signal);
    t.equal(await connection.bind(reader.bindDn, reader.bindPassword), true);
    t.equal(connection.isAlive, true, tls);
    relay.cut();
    await until(
      async () => connection.isAlive,
      (isAlive) => !isAlive,
    );
    const query = { scope: 'sub', filter: '(uid=ann)', attributes: ['uid'], max: 1 } as const;
    await t.rejects(connection.search('dc=closed', query), /connection|socket/i);
    await t.rejects(connection.bind(reader.bindDn, reader.bindPassword), /connection|socket/i);
    t.equal(relay.sent.length, 1, 'the client would have connected anew');
    await connection.close();
  }
});

t.test('a connection that died is replaced, whether that was seen or not', async (t) => {
  for (const [how, server, more] of [
    ['plain', slapd.plainUrl, {}],
    ['StartTLS', slapd.plainUrl, { startTls: true }],
    ['TLS', slapd.tlsUrl, {}],
  ] as const) {
    const relay = await throughRelay(t, server);
    const logs: LogLine[] = [];
    const url = `${new URL(server).protocol}//127.0.0.1:${relay.port}`;
    const keys = { ...closed, ...more, server: url, caFile: slapd.certificates.authority };
    const one = await scheme(t, keys, {}, logs);
    t.match(await login(one), { userName: 'ann' }, how);
    relay.cut();
    t.match(await login(one), { userName: 'ann', groups: /ops/ }, `${how}: all ended`);
    relay.cutWhenUsed();
    t.match(await login(one), { userName: 'ann', groups: /ops/ }, `${how}: ended by its use`);
    t.equal(await login(one, 'ann', 'wrong'), undefined);
    t.strictSame(logs, [], 'the server is as good as before');
    if (how !== 'plain') {
      t.notMatch(Buffer.concat(relay.sent).toString('latin1'), /cn=reader|reads \(all\)|sesame|ou=people/);
      t.ok(relay.sent.length >= 6);
    }
  }
});

t.test('a server that falls silent: who waits goes to the next one with the first', async (t) => {
  const relay = await throughRelay(t);
  const logs: LogLine[] = [];
  const server = `ldap://127.0.0.1:${relay.port} ${slapd.plainUrl}`;
  const options = { searchConnections: 1, connectMillis: 1000, answerMillis: 1000 };
  const one = await scheme(t, { ...closed, server }, options, logs);
  t.match(await login(one), { userName: 'ann' });
  relay.silence();
  const answers = await Promise.all(Array.from({ length: 20 }, () => login(one)));
  t.strictSame(
    answers.map((user) => user?.userName),
    answers.map(() => 'ann'),
  );
  t.ok(
    logs.every(({ level, fields }) => level === 'warn' && String(fields['server']).endsWith(`${relay.port}`)),
  );
});

t.test('more than may wait are refused, and a login that is given up leaves the line', async (t) => {
  const relay = await throughRelay(t);
  relay.silence();
  const server = `ldap://127.0.0.1:${relay.port}`;
  const one = await scheme(t, { ...closed, server }, { searchConnections: 1 });
  const given = (signal: AbortSignal) =>
    one.login?.({ userName: 'ann', password: 'sesame' }, { signal })?.then(
      () => 'came in',
      (error: unknown) => error,
    );
  const patiences = Array.from({ length: 65 }, () => new AbortController());
  const waiting = patiences.map(({ signal }) => given(signal));
  const refused = await given(AbortSignal.timeout(20_000));
  t.match(refused, { status: 502, cause: { message: /64 logins wait/ } });
  for (const patience of patiences) patience.abort(new Error('enough'));
  t.ok((await Promise.all(waiting)).every((answer) => answer instanceof Unreachable));
});

t.test('closed with the mechanism', async (t) => {
  const relay = await throughRelay(t);
  const one = await scheme(t, { ...closed, server: `ldap://127.0.0.1:${relay.port}` });
  t.match(await login(one), { userName: 'ann' });
  await one.close?.();
  await ended(relay);
  await t.rejects(login(one), Unreachable);
  t.equal(relay.sent.length, 2, 'and nothing is opened any more');
});

t.test('none is kept where the host says so, and none for longer than it says', async (t) => {
  for (const idleMillis of [0, 20]) {
    const relay = await throughRelay(t);
    const one = await scheme(t, { ...closed, server: `ldap://127.0.0.1:${relay.port}` }, { idleMillis });
    t.match(await login(one), { userName: 'ann' });
    await ended(relay);
  }
});

t.test('a restart in place and the end of the gateway close them', async (t) => {
  const relay = await throughRelay(t);
  const gate = await configuredGateway(t);
  const { groupSupport: _, roleBaseDn: __, ...keys } = closed;
  const configuration = { ...keys, server: `ldap://127.0.0.1:${relay.port}` };
  const kept = async () => {
    await gate.configure({ type: 'ldap', configuration });
    t.match(await gate.logIn('ann', 'sesame'), { status: 200 });
    await until(
      async () => relay.open,
      (open) => open === 1,
    );
  };
  await kept();
  await gate.configure({ type: 'password', configuration: {} });
  await ended(relay);
  await kept();
  await gate.gateway.close();
  await ended(relay);
});

async function ended(relay: Relay): Promise<void> {
  await until(
    async () => relay.open,
    (open) => open === 0,
  );
}
