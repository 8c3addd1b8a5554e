import { join } from 'node:path';
import t from 'tap';
import { smtpMailer } from '../../../../adapters/mail/smtp.js';
import { memoryStorage } from '../../../../adapters/storage/memory.js';
import type { GatewayOptions, Storage } from '../../../../lib/index.js';
import { filesystemStorage } from '../../../../packages/level/index.js';
import { gatewayWithAccounts, refuses } from '../../../helpers/accounts.js';
import { testFolder } from '../../../helpers/folder.js';
import { newGateway } from '../../../helpers/gateway.js';
import {
  type MailServerOptions,
  mailServer,
  rudeServer,
  type TestMailServer,
} from '../../../helpers/mail-server.js';
import { run } from '../../../helpers/processes.js';
import { snippetsOf } from '../../../helpers/snippets.js';
import { certificate } from '../../../helpers/tls-front.js';

// The mail server: `docs/decisions.md`, Mail settings are kept before they work, and The key store.

type Teardown = { teardown(end: () => Promise<void>): unknown };

const login = { userName: 'gate', password: 'open sesame' };

const settingsFor = ({ port, settings }: Pick<TestMailServer, 'port' | 'settings'>) => ({
  host: '127.0.0.1',
  port: String(port),
  fromAddr: 'gate@example.org',
  fromName: 'The gate',
  encryptionType: settings.encryption,
  authType: 'password' as const,
  username: login.userName,
  password: login.password,
  testAddr: 'ops@example.org',
});

async function mailing(t: Teardown, more: Partial<GatewayOptions> = {}, server: MailServerOptions = {}) {
  const peer = await mailServer(t, { login, ...server });
  const living = await gatewayWithAccounts(t, { mailer: smtpMailer({ ca: certificate }), ...more });
  return { ...living, peer, settings: settingsFor(peer) };
}

const without = <T extends object, K extends keyof T>(value: T, key: K): Omit<T, K> => {
  const { [key]: _, ...rest } = value;
  return rest;
};

async function keptText(storage: Storage): Promise<string> {
  let text = '';
  for await (const [key, { value }] of storage.documents.entries('configuration')) {
    text += JSON.stringify([key, value]);
  }
  return text;
}

t.test('settings are kept, tried at once, and never give the password back', async (t) => {
  const storage = memoryStorage();
  const { admin, peer, settings } = await mailing(t, { storage, mail: { platform: 'Streams' } });
  await refuses(t, admin.getSmtpConfig(), { status: 404 });
  await admin.putSmtpConfig({ body: settings });
  t.match(peer.received, [
    {
      recipients: ['ops@example.org'],
      user: 'gate',
      isSecure: true,
      email: { subject: '[Streams] The settings of the mail server work', from: { name: 'The gate' } },
    },
  ]);
  t.strictSame(await admin.getSmtpConfig(), without(settings, 'password'));
  const text = await keptText(storage);
  t.match(text, '"smtp"');
  t.notMatch(text, 'sesame', 'it is sealed');
});

t.test('a PUT without the password keeps it', async (t) => {
  const { admin, peer, settings } = await mailing(t);
  await refuses(t, admin.putSmtpConfig({ body: without(settings, 'password') }), {
    status: 400,
    message: /body\.password: is needed/,
  });
  await refuses(t, admin.getSmtpConfig(), { status: 404 });
  await admin.putSmtpConfig({ body: settings });
  await admin.putSmtpConfig({ body: { ...without(settings, 'password'), fromName: 'Another name' } });
  await admin.putSmtpConfig({ body: { ...settings, password: '' } });
  t.strictSame(
    peer.received.map(({ user, email }) => [user, email.from?.name]),
    [
      ['gate', 'The gate'],
      ['gate', 'Another name'],
      ['gate', 'The gate'],
    ],
  );
});

t.test('the password that is kept goes to no server of somebody else’s choice', async (t) => {
  const { admin, user, peer, settings } = await mailing(t);
  await admin.putRole({
    params: { role: 'editor' },
    body: { permissions: ['VIEW_GLOBAL_CONFIG', 'EDIT_GLOBAL_CONFIG'] },
  });
  const editor = await user('eve', 'editor');
  await admin.putSmtpConfig({ body: settings });
  const kept = without(settings, 'password');
  await editor.putSmtpConfig({ body: { ...kept, fromName: 'Eve' } });
  for (const part of [{ host: 'localhost' }, { port: '1' }, { encryptionType: 'none' as const }]) {
    await refuses(t, editor.putSmtpConfig({ body: { ...kept, ...part } }), {
      status: 403,
      message: /only when an administrator says so/,
    });
  }
  const other = await mailServer(t, { login });
  await admin.putSmtpConfig({ body: { ...kept, port: String(other.port) } });
  t.strictSame([peer.received.length, other.received.length], [2, 1]);
  t.equal(other.received[0]?.user, 'gate', 'with the password that was kept');
  const viewer = await user('vic', 'operator');
  t.match(await viewer.getSmtpConfig(), { port: String(other.port) });
  await refuses(t, viewer.putSmtpConfig({ body: settings }), { status: 403 });
});

t.test('a test mail that fails: 502, said why, and saved all the same', async (t) => {
  const { admin, baseUrl, logs, peer, settings } = await mailing(t, { timeouts: { testMailMillis: 10_000 } });
  const body = { ...settings, password: 'wrong' };
  await refuses(t, admin.putSmtpConfig({ body }), {
    status: 502,
    code: 'TEST_MAIL_NOT_SENT',
    message: /settings are saved, but .*refused user name and password \(535\)/,
    details: { saved: true },
  });
  t.strictSame(await admin.getSmtpConfig(), without(settings, 'password'));
  const answer = await fetch(`${baseUrl}/ws/v2/config/smtp`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'x-user': 'root' },
    body: JSON.stringify(body),
  });
  const error = await answer.text();
  t.match(JSON.parse(error), { saved: true, code: 'TEST_MAIL_NOT_SENT' }, 'in the body, where clients look');
  t.notMatch(error, /wrong|EAUTH/);

  const silent = await rudeServer(t);
  const hanging = admin.putSmtpConfig({ body: { ...settings, port: String(silent) } });
  await admin.getProfile();
  await refuses(t, hanging, { status: 502, message: /did not answer in time/ });
  const failed = logs.filter(({ fields }) => fields['status'] === 502);
  t.strictSame(
    [failed.length, ...new Set(failed.map(({ level }) => level))],
    [3, 'warn'],
    'no error of the gateway',
  );
  t.strictSame(peer.received, []);
});

t.test('bad settings are named, and change nothing', async (t) => {
  const { admin, peer, settings } = await mailing(t);
  const rows: readonly [object, RegExp][] = [
    [{ testAddr: 'nobody' }, /body\.testAddr: "nobody" is no mail address/],
    [{ fromAddr: 'a@b.example\r\nBcc: c@d.example' }, /body\.fromAddr/],
    [{ port: 70_000 }, /body\.port/],
    [{ username: '' }, /body\.username: is needed/],
    [{ host: 'two words' }, /body\.host/],
  ];
  for (const [part, message] of rows) {
    await refuses(t, admin.putSmtpConfig({ body: { ...settings, ...part } }), { status: 400, message });
  }
  await refuses(t, admin.getSmtpConfig(), { status: 404 });
  t.equal(peer.received.length, 0);
});

t.test('a host without a mailer says so', async (t) => {
  const { admin, logs } = await gatewayWithAccounts(t);
  await refuses(t, admin.getSmtpConfig(), { status: 404 });
  const body = {
    host: 'mail.example.org',
    fromAddr: 'gate@example.org',
    encryptionType: 'tls' as const,
    authType: 'none' as const,
    testAddr: 'ops@example.org',
  };
  await refuses(t, admin.putSmtpConfig({ body }), {
    status: 501,
    message: /gives no `mailer` to createGateway/,
  });
  t.match(logs.at(-1), { level: 'info', message: 'request', fields: { status: 501, code: 'NOT_SUPPORTED' } });
});

t.test('the sealed password opens again after a restart of the host', async (t) => {
  const directory = testFolder(t);
  const peer = await mailServer(t, { login });
  const settings = settingsFor(peer);
  const start = async () =>
    newGateway(t, {
      storage: await filesystemStorage({ directory }),
      mailer: smtpMailer({ ca: certificate }),
    });
  const first = await start();
  await first.client.putSmtpConfig({ body: settings });
  await first.gateway.close();
  const second = await start();
  await second.client.putSmtpConfig({ body: without(settings, 'password') });
  t.strictSame(
    peer.received.map(({ user }) => user),
    ['gate', 'gate'],
  );
});

t.test('the page about mails configures a server with one line', async (t) => {
  const { client, baseUrl } = await newGateway(t, { mailer: smtpMailer({ ca: certificate }) });
  const peer = await mailServer(t, { login: { userName: 'gate', password: '...' } });
  const page = join(import.meta.dirname, '../../../../../docs/mail.md');
  const [line] = snippetsOf(page).filter(({ attributes }) => 'settings' in attributes);
  const command = (line?.text ?? '')
    .replace('http://127.0.0.1:9090', baseUrl)
    .replace('mail.example.org', 'localhost')
    .replace('587', String(peer.port));
  t.equal(await run('bash', ['-c', command], { cwd: import.meta.dirname }), '{}');
  t.match(peer.received, [{ isSecure: true, user: 'gate', recipients: ['ops@example.org'] }]);
  t.match(await client.getSmtpConfig(), { host: 'localhost', fromName: 'The gate' });
});
