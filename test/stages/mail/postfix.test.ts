import { readFile } from 'node:fs/promises';
import t from 'tap';
import { smtpMailer } from '../../../adapters/mail/smtp.js';
import { alertInput, hot, isActive, untilAlert } from '../../helpers/alerts.js';
import { newGateway } from '../../helpers/gateway.js';
import { until } from '../../helpers/waiting.js';
import { type Postfix, startPostfix } from './postfix.js';

// Mails of alerts at Debian's Postfix: another implementation of TLS, logins and mail than the one they are sent with.

const postfix = await startPostfix(t);
const ca = await readFile(postfix.certificates.authority, 'utf8');
const { client } = await newGateway(t, {
  mailer: smtpMailer({ ca }),
  mail: { platform: 'Größe', limits: { firstPauseMillis: 100, longestPauseMillis: 500 } },
  alerts: { everyMillis: 100 },
});

const settings = (encryptionType: keyof Postfix['ports'], more: object = {}) => ({
  host: 'localhost',
  port: String(postfix.ports[encryptionType]),
  fromAddr: 'gate@example.org',
  fromName: 'The gate, “größer”',
  encryptionType,
  testAddr: 'admin@example.org',
  ...(encryptionType === 'none'
    ? { authType: 'none' as const }
    : {
        authType: 'password' as const,
        username: postfix.login.userName,
        password: postfix.login.password,
      }),
  ...more,
});

const untilDelivered = (owner: string, count: number) =>
  until(
    () => postfix.mailbox(owner),
    ({ length }) => length >= count,
  );

t.test('settings are tried with each kind of encryption, and the mail says how it came', async (t) => {
  for (const [index, kind] of (['none', 'ssl', 'tls'] as const).entries()) {
    await client.putSmtpConfig({ body: settings(kind) });
    const mail = (await untilDelivered('admin', index + 1))[index];
    t.match(mail?.email, {
      subject: '[Größe] The settings of the mail server work',
      from: { name: 'The gate, “größer”', address: 'gate@example.org' },
    });
    const secure = /using TLSv1\.[23].*\n.*\(Authenticated sender: gate@example\.org\)/s;
    (kind === 'none' ? t.notMatch : t.match).call(t, mail?.raw, secure, kind);
  }
});

t.test('the three kinds of mail, and the one to try it out', async (t) => {
  await client.putSmtpConfig({ body: settings('tls') });
  const name = 'Latenz / 100% ☂ größer als “sonst” und noch viel länger, damit die Zeile gefaltet wird';
  const topic = 'test.room';
  const params = { name };
  const body = alertInput(hot(topic), {
    email: 'ops@example.org, ada@example.org',
    description: `.\n.\r\nZu warm: 漢字 ${'x'.repeat(1200)}`,
  });
  await client.putAlert({ params, body });
  await untilAlert({ client }, name, { topic, temperature: 31 }, ({ alertStatus }) => alertStatus.emailSent);
  await untilAlert({ client }, name, { topic, temperature: 1 }, (alert) => !isActive(alert));
  await untilDelivered('ops', 2);
  await client.putAlert({ params, body: { ...body, disabled: true } });
  const mails = await untilDelivered('ops', 3);
  t.strictSame(
    mails.map(({ email }) => email.subject).sort(),
    ['disabled', 'in effect', 'out of effect'].map((state) => `[Größe] Alert "${name}" ${state}`),
  );
  const entered = mails.find(({ email }) => / in effect$/.test(email.subject ?? ''));
  t.match(entered?.email.text, /^\.\n\.\nZu warm: 漢字 x{1200}\n/m, 'dots and long lines arrive as they are');
  t.match(entered?.email.text, 'test.room.temperature: 31');
  t.match(entered?.email.html, /漢字 x{1200}<\/p>/);
  t.strictSame(
    (await untilDelivered('ada', 3)).map(({ email }) => email.messageId).sort(),
    mails.map(({ email }) => email.messageId).sort(),
    'the same mails in both mailboxes',
  );
  const tried = await client.validateScript({ body: { script: 'true', email: 'ada@example.org' } });
  t.match(tried, { valid: true, emailSent: true });
  t.match((await untilDelivered('ada', 4)).map(({ email }) => email.subject).sort(), [
    /^/,
    /^/,
    /^/,
    '[Größe] Test of an alert',
  ]);
});

t.test('what a real server refuses is said in words', async (t) => {
  const rows: readonly [object, RegExp][] = [
    [settings('tls', { password: 'wrong' }), /refused user name and password \(535\)/],
    [settings('tls', { testAddr: 'nobody@example.org' }), /refused all recipients \(550\)/],
    [settings('tls', { authType: 'none' }), /refused all recipients \(554\)/],
    [settings('none', { testAddr: 'somebody@elsewhere.example' }), /refused all recipients \(554\)/],
    [settings('none', { encryptionType: 'ssl' }), /does not speak TLS here/],
  ];
  for (const [body, message] of rows)
    await t.rejects(client.putSmtpConfig({ body: { ...settings('tls'), ...body } }), {
      code: 'TEST_MAIL_NOT_SENT',
      message,
    });
  const distrusting = await newGateway(t, { mailer: smtpMailer() });
  await t.rejects(distrusting.client.putSmtpConfig({ body: settings('tls') }), {
    message: /certificate is not trusted/,
  });
});

t.test('mails wait while the server is down, and each comes once', async (t) => {
  await client.putSmtpConfig({ body: settings('tls') });
  const before = (await postfix.mailbox('ops')).length;
  await postfix.stop();
  const names = ['one', 'two', 'three'];
  for (const name of names) await client.putAlert({ params: { name }, body: alertInput('true') });
  await until(
    () => client.listConfigIssues(),
    ({ issues }) => issues.some(({ key }) => key === 'SMTP_NOT_WORKING'),
  );
  await postfix.start();
  const mails = (await untilDelivered('ops', before + 3)).map(({ email }) => email.subject);
  for (const name of names) t.ok(mails.includes(`[Größe] Alert "${name}" in effect`));
  await until(
    () => client.listAlerts({ query: { inAlert: true } }),
    ({ alerts }) => alerts.every(({ alertStatus }) => alertStatus.emailSent),
  );
  t.equal((await postfix.mailbox('ops')).length, before + 3);
  t.strictSame((await client.listConfigIssues()).issues, []);
});
