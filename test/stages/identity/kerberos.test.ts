import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import type { LoginScheme } from '../../../lib/index.js';
import { AuthConfiguration } from '../../../lib/model/auth-configuration.js';
import { type KerberosOptions, kerberosScheme } from '../../../packages/directory/kerberos.js';
import { type LogLine, loggerInto } from '../../helpers/gateway.js';
import { listening } from '../../helpers/listening.js';
import { type Kdc, startKdc } from './kdc.js';
import { directoryOf } from './peer.js';

// Against a realm of MIT Kerberos, with curl as the client.

const service = 'HTTP/localhost@EXAMPLE.ORG';
let kdc: Kdc;
let keytab: string;
t.before(async () => {
  kdc = await startKdc(t);
  await kdc.add(service);
  await kdc.add('HTTP/127.0.0.1');
  await kdc.add('ann', 'sesame');
  await kdc.add('ann/ops', 'sesame');
  keytab = await kdc.keytab('http.keytab', service);
});

async function schemeOf(
  t: { teardown(end: () => unknown): unknown },
  keys: Record<string, unknown> = {},
  logs: LogLine[] = [],
  options: KerberosOptions = {},
): Promise<LoginScheme> {
  const configuration = AuthConfiguration.parse({
    type: 'kerberos',
    kerberosPrincipal: service,
    kerberosKeytab: keytab,
    ...keys,
  });
  if (configuration.type !== 'kerberos') throw new Error('not Kerberos');
  const { krb5Config, directory } = kdc;
  const scheme = await kerberosScheme({ krb5Config, replayCacheDirectory: directory, ...options })(
    configuration,
    {
      clock: { now: () => 0, monotonic: () => performance.now() },
      logger: loggerInto(logs),
    },
  );
  t.teardown(() => scheme.close?.());
  return scheme;
}

const negotiate = (scheme: LoginScheme, token: string) =>
  scheme.negotiate?.(token, { signal: AbortSignal.timeout(20_000) });

/** A server that answers who the scheme says is there, and notes the tokens. */
async function serverOf(t: { teardown(end: () => unknown): unknown }, scheme: LoginScheme) {
  const tokens: string[] = [];
  const server = createServer(async (req, res) => {
    const token = /^Negotiate (.+)$/.exec(req.headers.authorization ?? '')?.[1];
    if (token !== undefined) tokens.push(token);
    const known = token === undefined ? undefined : await negotiate(scheme, token);
    const challenge = `Negotiate${known?.reply === undefined ? '' : ` ${known.reply}`}`;
    res
      .writeHead(known ? 200 : 401, { 'www-authenticate': challenge })
      .end(JSON.stringify(known?.user ?? null));
  });
  const { baseUrl, close } = await listening(server);
  t.teardown(close);
  return { url: baseUrl.replace('127.0.0.1', 'localhost'), byAddress: baseUrl, tokens };
}

t.test('a ticket says who it is, and the answer says who we are', async (t) => {
  const scheme = await schemeOf(t);
  const { url } = await serverOf(t, scheme);
  const answer = await kdc.curl(await kdc.tickets('ann', 'sesame'), url);
  t.match(answer, /HTTP\/1.1 200 OK/);
  t.match(answer, /www-authenticate: Negotiate [A-Za-z0-9+/=]{40,}/i);
  t.match(answer, '{"userName":"ann"}');
  const none = await kdc.curl(undefined, url);
  t.match(none, /HTTP\/1.1 401/);
  t.match(none, /www-authenticate: Negotiate\r\n/i);
  t.match(await kdc.curl(await kdc.tickets('ann/ops', 'sesame'), url), '{"userName":"ann/ops"}');
});

t.test('the second component is the group', async (t) => {
  const { url } = await serverOf(t, await schemeOf(t, { groupSupport: true }));
  t.match(await kdc.curl(await kdc.tickets('ann/ops', 'sesame'), url), '{"userName":"ann","groups":["ops"]}');
  t.match(await kdc.curl(await kdc.tickets('ann', 'sesame'), url), '{"userName":"ann","groups":[]}');
});

t.test('forged, replayed, expired and for somebody else: nobody', async (t) => {
  const logs: LogLine[] = [];
  const scheme = await schemeOf(t, {}, logs);
  const { url, byAddress, tokens } = await serverOf(t, scheme);
  const tickets = await kdc.tickets('ann', 'sesame');
  t.match(await kdc.curl(tickets, url), / 200 /);
  const [token = ''] = tokens;
  t.equal(await negotiate(scheme, token), undefined, 'replayed');
  t.equal(
    await negotiate(await schemeOf(t), token),
    undefined,
    'replayed at another gateway of this machine',
  );
  const bytes = Buffer.from(token, 'base64');
  for (const at of [0, 20, 200, bytes.length - 1]) {
    const forged = Buffer.from(bytes);
    forged[at] = (forged[at] ?? 0) ^ 1;
    t.equal(await negotiate(scheme, forged.toString('base64')), undefined, `forged at ${at}`);
  }
  for (const junk of [
    'AAAA',
    'YII=',
    'TlRMTVNTUAABAAAAl4II4gAAAAAAAAAAAAAAAAAAAAAGAbEdAAAADw==',
    '!!',
    '',
    token.slice(0, 400),
    'A'.repeat(70_000),
  ]) {
    t.equal(await negotiate(scheme, junk), undefined, junk.slice(0, 20));
  }
  t.match(await kdc.curl(tickets, byAddress), / 401 /, 'a ticket for another service');
  t.ok(logs.every(({ message }) => message === 'a Kerberos ticket was refused'));

  const short = await kdc.tickets('ann', 'sesame', '-l', '1s');
  const fresh = await serverOf(t, await schemeOf(t));
  await new Promise((resolve) => setTimeout(resolve, 2100));
  t.match(await kdc.curl(short, fresh.url), / 401 /, 'expired at the client');
});

t.test('clocks that differ', async (t) => {
  const logs: LogLine[] = [];
  const strict = join(kdc.directory, 'strict.conf');
  const usual = await readFile(kdc.krb5Config, 'utf8');
  await writeFile(strict, usual.replace('[libdefaults]', '[libdefaults]\n  clockskew = 1'));
  const { url, tokens } = await serverOf(t, { name: 'only notes tokens' });
  t.match(await kdc.curl(await kdc.tickets('ann', 'sesame'), url), / 401 /);
  await new Promise((resolve) => setTimeout(resolve, 2100));
  const [token = ''] = tokens;
  t.equal(
    await negotiate(
      await schemeOf(t, {}, logs, {
        krb5Config: strict,
        replayCacheDirectory: await directoryOf(t, 'replays'),
      }),
      token,
    ),
    undefined,
  );
  t.match(logs, [{ fields: { why: /clock skew too great/i } }]);
  t.match(await negotiate(await schemeOf(t), token), { user: { userName: 'ann' } }, 'good for five minutes');
});

t.test('a ticket that expired between the client and us', async (t) => {
  const logs: LogLine[] = [];
  const strict = join(kdc.directory, 'strict-expiry.conf');
  const usual = await readFile(kdc.krb5Config, 'utf8');
  await writeFile(strict, usual.replace('[libdefaults]', '[libdefaults]\n  clockskew = 1'));
  const { url, tokens } = await serverOf(t, { name: 'only notes tokens' });
  t.match(await kdc.curl(await kdc.tickets('ann', 'sesame', '-l', '2s'), url), / 401 /);
  const [token = ''] = tokens;
  const replayCacheDirectory = await directoryOf(t, 'replays');
  const scheme = await schemeOf(t, {}, logs, { krb5Config: strict, replayCacheDirectory });
  await new Promise((resolve) => setTimeout(resolve, 4100));
  t.equal(await negotiate(scheme, token), undefined);
  t.match(logs, [{ fields: { why: /ticket expired/i } }]);
});

/** As a crash in the library in C would be. */
async function killHelpers(): Promise<number> {
  const children = await readFile(`/proc/self/task/${process.pid}/children`, 'utf8');
  let killed = 0;
  for (const pid of children.split(' ').filter((text) => text !== '')) {
    if (!(await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes('kerberos-helper')) continue;
    process.kill(Number(pid), 'SIGKILL');
    killed++;
  }
  return killed;
}

t.test('a helper that dies is replaced', async (t) => {
  const scheme = await schemeOf(t);
  const { url } = await serverOf(t, scheme);
  const tickets = await kdc.tickets('ann', 'sesame');
  t.match(await kdc.curl(tickets, url), / 200 /);
  t.ok((await killHelpers()) > 0);
  t.match(await kdc.curl(tickets, url), / 200 /);
});

t.test('a configuration that can not work is refused in a sentence', async (t) => {
  await copyFile(keytab, join(kdc.directory, 'copy'));
  await writeFile(join(kdc.directory, 'text'), 'no keytab');
  await writeFile(join(kdc.directory, 'short'), 'secret\n');
  for (const [keys, code, sentence] of [
    [{ kerberosKeytab: '/nowhere' }, 'AUTH_FILE_NOT_USABLE', /can't be read \(ENOENT\)/],
    [{ kerberosKeytab: join(kdc.directory, 'text') }, 'AUTH_FILE_NOT_USABLE', /is no keytab/],
    [
      { kerberosPrincipal: 'HTTP/other.example@EXAMPLE.ORG' },
      'AUTH_FILE_NOT_USABLE',
      /has no key for HTTP\/other.example@EXAMPLE.ORG; it has HTTP\/localhost@EXAMPLE.ORG/,
    ],
    [{ kerberosPrincipal: 'HTTP/localhost@OTHER.ORG' }, 'AUTH_FILE_NOT_USABLE', /has no key/],
    [{ kerberosPrincipal: 'HTTP/a/b' }, 'AUTH_SETTING_NOT_VALID', /not of the form/],
    [{ signatureSecret: join(kdc.directory, 'short') }, 'AUTH_SETTING_NOT_VALID', /at least 16 bytes/],
    [{ signatureSecret: '/nowhere' }, 'AUTH_FILE_NOT_USABLE', /can't be read/],
  ] as const) {
    await t.rejects(schemeOf(t, keys), { code, message: sentence });
  }
  const { sessions } = await schemeOf(t, {
    tokenValidity: '60',
    cookieDomain: 'example.org',
    cookiePath: '/gate',
    signatureSecret: 'sixteen bytes or more',
  });
  t.strictSame(sessions, {
    absoluteMillis: 60_000,
    cookieDomain: 'example.org',
    cookiePath: '/gate',
    signatureSecret: Buffer.from('sixteen bytes or more'),
  });
});
