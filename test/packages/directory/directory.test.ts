import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import t from 'tap';
import { type LoginScheme, Unreachable } from '../../../lib/index.js';
import { AuthConfiguration } from '../../../lib/model/auth-configuration.js';
import { ldapScheme } from '../../../packages/directory/ldap.js';
import { openConnection } from '../../../packages/directory/ldap-connection.js';
import { primaryGroupSid } from '../../../packages/directory/ldap-groups.js';
import { directoryPlan } from '../../../packages/directory/ldap-plan.js';
import {
  escapeDnValue,
  escapeFilterValue,
  filterFor,
  identityFor,
  plainName,
  withoutDomain,
} from '../../../packages/directory/ldap-text.js';
import { testFolder } from '../../helpers/folder.js';
import { type LogLine, loggerInto } from '../../helpers/gateway.js';
import { certificate, key } from '../../helpers/tls-front.js';
import { until } from '../../helpers/waiting.js';

// What needs no directory. Logins at real ones: `test/stages/identity`.

const configuration = (keys: Record<string, unknown>) => {
  const checked = AuthConfiguration.parse({ type: 'ldap', server: 'localhost', ...keys });
  if (checked.type !== 'ldap' && checked.type !== 'ad') throw new Error('no directory');
  return checked;
};
const planOf = (keys: Record<string, unknown>) => directoryPlan(configuration(keys));
const base = { userBaseDn: 'ou=people,dc=example,dc=org' };

const scheme = async (
  keys: Record<string, unknown>,
  options?: Parameters<typeof ldapScheme>[0],
  logs: LogLine[] = [],
): Promise<LoginScheme> =>
  ldapScheme(options)(configuration({ ...base, ...keys }), {
    clock: { now: () => 0, monotonic: () => performance.now() },
    logger: loggerInto(logs),
  });
const ann = { userName: 'ann', password: 'sesame' };
const login = async (one: LoginScheme, signal = AbortSignal.timeout(20_000)) => one.login?.(ann, { signal });

/** Accepts connections and does with them what is said. */
async function peer(
  t: { teardown(close: () => Promise<unknown>): unknown },
  onData: 'silent' | 'closes' | 'garbage',
  tls: 'none' | 'first' = 'none',
): Promise<number> {
  const sockets = new Set<Socket>();
  const talk = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => {
      if (onData === 'closes') socket.destroy();
      if (onData === 'garbage') socket.write(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'));
    });
  };
  const server: Server =
    tls === 'first' ? createTlsServer({ key, cert: certificate }, talk) : createServer(talk);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

t.test('a typed name is never more than a value', async (t) => {
  for (const [typed, filter, dn] of [
    ['ann', 'ann', 'ann'],
    ['*', '\\2a', '*'],
    ['a)(uid=*', 'a\\29\\28uid=\\2a', 'a)(uid\\=*'],
    ['a\\2a', 'a\\5c2a', 'a\\\\2a'],
    ['a\0b', 'a\\00b', 'a\\00b'],
    ['ann,dc=x+y', 'ann,dc=x+y', 'ann\\,dc\\=x\\+y'],
    [' #ann ', ' #ann ', '\\ #ann\\ '],
    ['#ann', '#ann', '\\#ann'],
    [' ', ' ', '\\ '],
    ['"<a>;b"', '"<a>;b"', '\\"\\<a\\>\\;b\\"'],
    ['Größe 😀', 'Größe 😀', 'Größe 😀'],
    ['$&', '$&', '$&'],
  ] as const) {
    t.equal(escapeFilterValue(typed), filter, JSON.stringify(typed));
    t.equal(escapeDnValue(typed), dn, JSON.stringify(typed));
  }
  t.equal(filterFor('(|(uid={USERNAME})(mail={USERNAME}))', '$&)'), '(|(uid=$&\\29)(mail=$&\\29))');
  t.equal(identityFor('uid={USERNAME},dc=x', 'a,dc=y'), 'uid=a\\,dc\\=y,dc=x');
  t.equal(identityFor('{USERNAME}@corp.example', 'ann'), 'ann@corp.example');
  for (const typed of ['cn=admin', 'CORP\\ann', 'a,b', 'a/b']) {
    t.equal(identityFor('{USERNAME}@corp.example', typed), undefined, typed);
  }
});

t.test('one person has one name', async (t) => {
  t.equal(withoutDomain('Ann@CORP.example', 'corp.Example'), 'Ann');
  t.equal(withoutDomain('ann@corp.example', '@corp.example'), 'ann');
  t.equal(withoutDomain('ann@other.example', 'corp.example'), 'ann@other.example');
  t.equal(withoutDomain('ann@corp.example', undefined), 'ann@corp.example');
  t.equal(plainName('Ann.B@x-1'), 'ann.b@x-1');
  for (const typed of ['ann ', ' ann', 'ａｎｎ', 'an\u200bn', '', 'a'.repeat(65)]) {
    t.equal(plainName(typed), undefined, JSON.stringify(typed));
  }
});

t.test('the configuration says how people are found', async (t) => {
  t.match(planOf(base), {
    searcher: { kind: 'anonymous' },
    userFilter: '(&(objectClass=person)(uid={USERNAME}))',
    userIdAttribute: 'uid',
    groups: undefined,
  });
  t.match(planOf({ type: 'ad', userDomain: 'corp.example' }), {
    searcher: { kind: 'self', pattern: '{USERNAME}@corp.example' },
    userFilter: '(&(objectClass=person)(sAMAccountName={USERNAME}))',
  });
  t.match(planOf({ ...base, bindDn: 'cn=reader', bindPassword: 'x', authIdentity: 'uid={USERNAME}' }), {
    searcher: { kind: 'account', dn: 'cn=reader' },
  });
  t.match(planOf({ authIdentity: 'uid={USERNAME},ou=p' }).searcher, { kind: 'self' });
  t.equal(planOf({ userSearchFilter: 'mail={USERNAME}' }).userFilter, '(mail={USERNAME})');
  t.equal(
    planOf({ userSearchFilter: '(memberOf=cn=staff)' }).userFilter,
    '(&(memberOf=cn=staff)(uid={USERNAME}))',
    'a filter without the name is one more condition',
  );
  const groups = { ...base, bindDn: 'cn=r', bindPassword: 'x', groupSupport: 'true', roleBaseDn: 'ou=g' };
  t.strictSame(planOf(groups).groups, {
    base: 'ou=g',
    objectClass: 'groupOfUniqueNames',
    nameAttribute: 'cn',
    memberAttribute: 'uniqueMember',
    nested: 'by us',
  });
  t.match(planOf({ ...groups, type: 'ad' }).groups, {
    objectClass: 'group',
    memberAttribute: 'member',
    nested: 'by the server',
  });
});

t.test('servers are names or URLs', async (t) => {
  const servers = (keys: Record<string, unknown>) => planOf({ ...base, ...keys }).servers;
  t.strictSame(servers({ server: 'one.example, ldaps://two.example ldap://three.example:1389' }), [
    { url: 'ldap://one.example:389', host: 'one.example', port: 389, tls: 'none' },
    { url: 'ldaps://two.example:636', host: 'two.example', port: 636, tls: 'first' },
    { url: 'ldap://three.example:1389', host: 'three.example', port: 1389, tls: 'none' },
  ]);
  t.match(servers({ server: 'one.example', Port: '10389', startTls: 'true' }), [
    { url: 'ldap://one.example:10389', tls: 'asked' },
  ]);
});

t.test('a configuration that can not work is refused in a sentence', async (t) => {
  const certificate = testFolder(t, {
    'no.pem': 'hello',
    'broken.pem': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
  });
  for (const [keys, sentence] of [
    [{ server: 'http://x' }, /server: http:\/\/x is no host/],
    [{ server: 'ldap://x/dc=org' }, /the base of the search is userBaseDn/],
    [{ server: '[::1]' }, /not by an IPv6 address/],
    [{ server: ',' }, /at least one/],
    [{ server: 'a b c d e f g h i' }, /more than 8/],
    [{ server: 'ldaps://x', startTls: true }, /startTls is for ldap:/],
    [{ bindDn: 'cn=x' }, /bindDn needs bindPassword/],
    [{ authIdentity: 'uid=x' }, /needs \{USERNAME\}/],
    [{ userBaseDn: undefined }, /One of userBaseDn, authIdentity and userSearchFilter/],
    [{ groupSupport: true }, /groupSupport needs roleBaseDn/],
    [{ userIdAttribute: 'uid)(x' }, /userIdAttribute: uid\)\(x is no name/],
    [{ userSearchFilter: '(&(uid={USERNAME})' }, /^userSearchFilter: /],
    [{ caFile: join(certificate, 'none.pem') }, /can't be read \(ENOENT\)/],
    [{ caFile: join(certificate, 'no.pem') }, /no file of certificates/],
    [{ caFile: join(certificate, 'broken.pem') }, /damaged certificate/],
  ] as const) {
    const code = 'caFile' in keys ? 'AUTH_FILE_NOT_USABLE' : 'AUTH_SETTING_NOT_VALID';
    await t.rejects(scheme(keys), { code, message: sentence }, JSON.stringify(keys));
  }
});

t.test('passwords in clear are warned of, but not on loopback', async (t) => {
  const logs: LogLine[] = [];
  await scheme({ server: '127.0.0.1 localhost ldaps://ldap.example' }, {}, logs);
  t.strictSame(logs, []);
  await scheme({ server: 'ldap.example ldaps://ldap.example' }, {}, logs);
  t.match(logs, [{ level: 'warn', fields: { servers: ['ldap://ldap.example:389'] } }]);
});

t.test('a directory that does not answer is told from a wrong password, in bounded time', async (t) => {
  const limits = { connectMillis: 150, answerMillis: 150 };
  const closed = 'ldap://127.0.0.1:1';
  for (const behaviour of ['silent', 'closes', 'garbage'] as const) {
    const port = await peer(t, behaviour);
    for (const keys of [
      { server: `ldap://127.0.0.1:${port}` },
      { server: `ldap://127.0.0.1:${port}`, startTls: true },
      { server: `ldaps://127.0.0.1:${port}` },
      { server: `ldaps://127.0.0.1:${port} ${closed}` },
    ]) {
      const logs: LogLine[] = [];
      await t.rejects(
        login(await scheme(keys, limits, logs)),
        Unreachable,
        `${behaviour} ${JSON.stringify(keys)}`,
      );
      t.equal(logs.length, keys.server.split(' ').length, 'each server that failed is in the log');
    }
  }
  await t.rejects(login(await scheme({ server: closed }, limits)), Unreachable);
});

t.test('the gateway’s timeout ends a login', async (t) => {
  const port = await peer(t, 'silent');
  for (const startTls of [false, true]) {
    const gaveUp = new AbortController();
    const answer = login(await scheme({ server: `ldap://127.0.0.1:${port}`, startTls }), gaveUp.signal);
    setImmediate(() => gaveUp.abort(new Error('enough')));
    await t.rejects(answer, Unreachable);
  }
});

t.test('what no directory must see is refused before it is asked', async (t) => {
  const one = await scheme({ server: 'ldap://127.0.0.1:1' });
  const signal = AbortSignal.timeout(20_000);
  t.equal(await one.login?.({ userName: 'ann', password: '' }, { signal }), undefined);
  t.equal(await one.login?.({ userName: 'a\0nn', password: 'x' }, { signal }), undefined);
});

t.test('a broken certificate file is not read for ever', async (t) => {
  const directory = testFolder(t, {});
  writeFileSync(join(directory, 'big.pem'), `-----BEGIN CERTIFICATE-----\n${'A'.repeat(2 ** 21)}`);
  await t.rejects(scheme({ caFile: join(directory, 'big.pem') }), { code: 'AUTH_FILE_NOT_USABLE' });
});

t.test(
  'a connection that waits is kept alive, with TLS and without',
  { skip: process.platform !== 'linux' && 'timers of sockets are in /proc' },
  async (t) => {
    for (const tls of ['none', 'first'] as const) {
      const port = await peer(t, 'silent', tls);
      const connection = await connectionTo(port, tls);
      const asked = connection.namingContext().catch(() => undefined);
      const kept = await until(
        async () => keepAliveSeconds(port),
        (seconds) => seconds > 0,
      );
      t.ok(kept > 10 && kept <= 20, `${tls}: ${kept} s`);
      await connection.close();
      await asked;
    }
  },
);

t.test('what waits for a connection that is closed before it stands is told so', async (t) => {
  // It never says a word of TLS.
  const connection = await connectionTo(await peer(t, 'silent'), 'first');
  const asked = t.rejects(connection.namingContext(), { message: 'The connection to the directory is lost' });
  await until(
    async () => connection.isAlive,
    (isAlive) => isAlive,
  );
  await connection.close();
  await asked;
});

async function connectionTo(port: number, tls: 'none' | 'first') {
  const host = '127.0.0.1';
  const server = { url: `${tls === 'first' ? 'ldaps' : 'ldap'}://${host}:${port}`, host, port, tls };
  const limits = { connectMillis: 20_000, answerMillis: 20_000 };
  const reach = { server, ca: certificate, limits };
  return openConnection(await import('ldapts'), reach, new AbortController().signal);
}

/** Until the first probe of the connection to a port of this machine; 0: none is planned. */
function keepAliveSeconds(port: number): number {
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n')) {
    const [, , peerAddress, state, , timer = ''] = line.trim().split(/\s+/);
    if (!peerAddress?.endsWith(remote) || state !== '01') continue;
    const [kind, hundredths = ''] = timer.split(':');
    return kind === '02' ? Number.parseInt(hundredths, 16) / 100 : 0;
  }
  return 0;
}

t.test('the primary group of somebody in Active Directory', async (t) => {
  const objectSid = Buffer.from('010500000000000515000000010000000200000003000000e8030000', 'hex');
  t.equal(primaryGroupSid({ objectSid, primaryGroupID: '513' }), 'S-1-5-21-1-2-3-513');
  for (const entry of [
    {},
    { objectSid },
    { primaryGroupID: '513' },
    { objectSid: objectSid.toString('latin1'), primaryGroupID: '513' },
    { objectSid, primaryGroupID: '513)(cn=*' },
    { objectSid, primaryGroupID: ['513', '514'] },
    { objectSid: objectSid.subarray(0, 20), primaryGroupID: '513' },
    { objectSid: Buffer.alloc(0), primaryGroupID: '513' },
  ]) {
    t.equal(primaryGroupSid(entry), undefined);
  }
});
