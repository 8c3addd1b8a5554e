import { createServer } from 'node:http';
import express from 'express';
import express4 from 'express4';
import Koa from 'koa';
import t from 'tap';
import { expressMiddleware } from '../../../../adapters/host/express.js';
import { httpHandler } from '../../../../adapters/host/http.js';
import { koaMiddleware } from '../../../../adapters/host/koa.js';
import { smtpMailer } from '../../../../adapters/mail/smtp.js';
import { checkReplies } from '../../../../lib/client/replies.js';
import { createClient } from '../../../../lib/client.js';
import { gatewayWithAccounts } from '../../../helpers/accounts.js';
import { alertInput, hot, isActive, smtpSettings, untilAlert } from '../../../helpers/alerts.js';
import { listening } from '../../../helpers/listening.js';
import { mailServer, rudeServer } from '../../../helpers/mail-server.js';
import { restarted } from '../../../helpers/restart.js';
import { certificate } from '../../../helpers/tls-front.js';
import { until } from '../../../helpers/waiting.js';

// From what users save to what a real mail server takes: rooms of alerts and mail together.

const login = { userName: 'gate', password: 'open sesame' };
const { gateway, admin, user } = await gatewayWithAccounts(t, {
  mailer: smtpMailer({ ca: certificate }),
  mail: {
    platform: 'Streams',
    consoleUrl: 'https://console.example.org',
    limits: { firstPauseMillis: 50, longestPauseMillis: 100 },
  },
  alerts: { everyMillis: 100, durable: true },
  timeouts: { testMailMillis: 10_000 },
});
const ada = await user('ada', 'developer');
const server = await mailServer(t, { login });
const both = { client: ada, publisher: admin };
const issues = async () => (await admin.listConfigIssues()).issues.map(({ key }) => key);

/** Mails of this alert, in the order in which they came. */
const mailsOf = (name: string) => server.received.filter(({ email }) => email.subject?.includes(`"${name}"`));
const subjectsOf = (name: string) => mailsOf(name).map(({ email }) => email.subject?.split('" ').at(-1));
const untilMailed = (name: string, count: number) =>
  until(
    async () => mailsOf(name),
    ({ length }) => length >= count,
  );

t.test('while nobody can be told, administrators are', async (t) => {
  t.strictSame(await issues(), []);
  const params = { name: 'unheard' };
  await ada.putAlert({ params, body: alertInput('true') });
  t.strictSame(await issues(), ['SMTP_NOT_CONFIGURED']);
  const { issues: found } = await admin.listConfigIssues();
  t.match(found, [{ severity: 'warning', description: /PUT \/ws\/v2\/config\/smtp/ }]);
  const active = await until(() => ada.getAlert({ params }), isActive);
  t.equal(active.alertStatus.emailSent, false);
  await admin.putSmtpConfig({ body: smtpSettings(server.port, login) });
  t.strictSame(await issues(), []);
  await ada.deleteAlert({ params });
});

t.test('the three kinds of mail, and the one to try it out', async (t) => {
  const name = 'Temperature / 100% ☂ of room';
  const topic = 'test.room';
  const params = { name };
  await ada.putAlert({
    params,
    body: alertInput(hot(topic), { email: 'ops@example.org, Bob@Bücher.example' }),
  });
  await untilAlert(both, name, { topic, temperature: 31 }, ({ alertStatus }) => alertStatus.emailSent);
  await untilAlert(both, name, { topic, temperature: 3 }, (alert) => !isActive(alert));
  await untilMailed(name, 2);
  for (const disabled of [true, true, false])
    await ada.putAlert({ params, body: alertInput(hot(topic), { disabled }) });
  await untilMailed(name, 3);
  const tried = await ada.validateScript({
    body: {
      script: '_topic["cluster.metrics"].numAppsRunning === 0',
      email: 'ada@example.org',
      description: 'Try',
    },
  });
  t.match(tried, { valid: true, result: true, emailSent: true });

  t.strictSame(subjectsOf(name), ['in effect', 'out of effect', 'disabled']);
  const [entered, left] = mailsOf(name);
  const script = '_topic["cluster.metrics"].numAppsRunning === 0';
  const shown = await ada.validateScript({ body: { name, script, description: 'Too warm' } });
  t.match(shown.fields, [{ topic: 'cluster.metrics', path: ['numAppsRunning'], value: '0' }]);
  t.match(shown.mail, {
    subject: entered?.email.subject,
    text: /Too warm.*Condition: _topic.*Owner: ada.*cluster\.metrics\.numAppsRunning: 0.*console\.example\.org/s,
  });
  t.match(entered, {
    isSecure: true,
    user: login.userName,
    from: 'gate@example.org',
    recipients: ['ops@example.org', 'Bob@bücher.example'],
    email: {
      subject: `[Streams] Alert "${name}" in effect`,
      text: /Too warm.*Condition: _topic.*Owner: ada.*test\.room\.temperature: 31.*console\.example\.org/s,
      html: /Too warm.*<td[^>]*>31<\/td>/s,
    },
  });
  t.match(left?.email.text, /In effect since: 20.*Duration: \d/s);
  const test = server.received.at(-1);
  t.match(test, {
    recipients: ['ada@example.org'],
    email: { subject: '[Streams] Test of an alert', text: /Try.*cluster\.metrics\.numAppsRunning: 0/s },
  });
  const sent = server.received.length;
  const email = 'ada@example.org';
  // A machine without any time for it stops even this one.
  const gave = await until(
    () => ada.validateScript({ body: { script: 'false', email } }),
    ({ valid }) => valid,
  );
  t.match(gave, { result: false, emailSent: true });
  t.match(server.received.at(-1)?.email.text, /Result: false/);
  const broken = await ada.validateScript({ body: { script: 'null.x', email } });
  t.match(broken, { valid: false, emailSent: undefined });
  t.equal(server.received.length, sent + 1, 'of what can not be evaluated there is nothing to mail');
  t.match(await ada.listAlertHistory(), { history: [{ name, emailSent: true }] });
  await ada.deleteAlert({ params });
  t.equal(mailsOf(name).length, 3, 'enabling and deleting are told nobody');
});

t.test('nothing that users write becomes a header, a recipient or markup', async (t) => {
  const name = 'Bcc: spy@example.org, =?utf-8?q?x?= <b>"q" \u202egnp';
  const topic = 'test."spy"';
  const params = { name };
  const body = alertInput(
    `/* <script>alert(1)</script> */ _topic[${JSON.stringify(topic)}].temperature !== 1`,
    {
      description: 'Over\r\nBcc: spy@example.org\r\n\r\n.\r\nRCPT TO:<spy@example.org>\r\n<img src=x>',
    },
  );
  await ada.putAlert({ params, body });
  const temperature = 'x\r\nSubject: owned\r\n\r\n</td><img src=y>';
  await untilAlert(both, name, { topic, temperature }, ({ alertStatus }) => alertStatus.emailSent);
  const mail = server.received.at(-1);
  const [head = ''] = mail?.raw.split('\r\n\r\n', 1) ?? [];
  t.strictSame(
    head
      .split(/\r\n(?![ \t])/)
      .map((line) => line.slice(0, line.indexOf(':')).toLowerCase())
      .sort(),
    ['auto-submitted', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to'],
  );
  t.strictSame(mail?.recipients, ['ops@example.org']);
  t.match(mail?.email.subject, 'Bcc: spy@example.org, =?utf-8?q?x?= <b>"q" gnp');
  t.match(mail?.email.text, '\nRCPT TO:<spy@example.org>\n');
  t.notMatch(mail?.email.html, /<img|<script|<b>/);
  await ada.deleteAlert({ params });
  for (const email of [
    'a@example.org\r\nBcc: b@example.org',
    '"a" <a@example.org>',
    'a@example.org;b@example.org',
  ])
    await t.rejects(ada.putAlert({ params, body: { ...body, email } }), {
      status: 400,
      message: /body\.email/,
    });
  await t.rejects(ada.putAlert({ params: { name: 'a\r\nBcc: b@example.org' }, body }), {
    code: 'MALFORMED_PATH',
  });
});

t.test('a mail server that hangs delays nothing, and what it was to take comes through later', async (t) => {
  const silent = await rudeServer(t);
  await t.rejects(admin.putSmtpConfig({ body: smtpSettings(silent) }), { code: 'TEST_MAIL_NOT_SENT' });
  const names = ['first', 'second', 'third'];
  const topic = 'test.hanging';
  for (const name of names) await ada.putAlert({ params: { name }, body: alertInput(hot(topic)) });
  for (const name of names) await untilAlert(both, name, { topic, temperature: 30 }, isActive);
  for (const name of names)
    await untilAlert(both, name, { topic, temperature: 10 }, (alert) => !isActive(alert));
  t.match(await ada.getTopicData(), { 'cluster.metrics': {} });
  t.equal((await ada.getAlert({ params: { name: 'first' } })).alertStatus.emailSent, false);
  t.ok(names.every((name) => mailsOf(name).length === 0));
  await admin.putSmtpConfig({ body: smtpSettings(server.port, login) });
  for (const name of names) await untilMailed(name, 2);
  for (const name of names) t.strictSame(subjectsOf(name), ['in effect', 'out of effect'], name);
  t.strictSame(await issues(), []);
  for (const name of names) await ada.deleteAlert({ params: { name } });
});

t.test('the alert of a user who is gone waits for an administrator', async (t) => {
  const name = 'of eve';
  const params = { name };
  const eve = await user('eve', 'developer');
  const body = alertInput('_topic["cluster.metrics"].numAppsRunning === 0');
  await eve.putAlert({ params, body });
  const seen = (fits: Parameters<typeof untilAlert>[3]) => until(() => admin.getAlert({ params }), fits);
  await seen(isActive);
  await admin.deleteUser({ params: { user: 'eve' } });
  const gone = await seen(({ alertStatus }) => alertStatus.message !== body.description);
  t.match(gone, { owner: 'eve', alertStatus: { isInAlert: true, message: /eve has no roles/ } });
  await admin.putAlert({ params, body });
  t.match(await seen(isActive), { owner: 'admin', alertStatus: { message: body.description } });
  await admin.deleteAlert({ params });
});

t.test('a restart in place keeps what is active, without another mail', async (t) => {
  const name = 'lasting';
  const topic = 'test.lasting';
  await ada.putAlert({ params: { name }, body: alertInput(hot(topic)) });
  const before = await untilAlert(
    both,
    name,
    { topic, temperature: 30 },
    ({ alertStatus }) => alertStatus.emailSent,
  );
  // Those that ended in the same moment may change places.
  const remembered = async () =>
    (await ada.listAlertHistory()).history.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const history = await remembered();
  await restarted(admin);
  t.strictSame(await ada.getAlert({ params: { name } }), before);
  t.strictSame(await remembered(), history);
  await untilAlert(both, name, { topic, temperature: 10 }, (alert) => !isActive(alert));
  await untilMailed(name, 2);
  t.strictSame(subjectsOf(name), ['in effect', 'out of effect']);
});

t.test('names go through every host as they are', async (t) => {
  const koa = new Koa();
  koa.use(koaMiddleware(gateway, { prefix: '/a/b' }));
  const hosts = {
    http: createServer(httpHandler(gateway)),
    'Express 5': createServer(express().use(expressMiddleware(gateway))),
    'Express 4': createServer(express4().use('/a/b', expressMiddleware(gateway))),
    Koa: createServer(koa.callback()),
  };
  const names = [
    'a b',
    'a/b',
    '100%',
    '%2F',
    '%25zz',
    '☂ é 😀 ﷽',
    '?#&=+;',
    '../..',
    '\'quo"te`',
    '{x}',
    '日本語/%',
  ];
  for (const [host, server] of Object.entries(hosts)) {
    const { baseUrl, close } = await listening(server);
    t.teardown(close);
    const prefix = /4|Koa/.test(host) ? '/a/b' : '';
    const client = createClient({
      baseUrl: baseUrl + prefix,
      headers: { 'x-user': 'ada' },
      checkReplies,
    });
    for (const name of names) {
      await client.putAlert({ params: { name }, body: alertInput('false') });
      t.equal((await client.getAlert({ params: { name } })).name, name, `${name} through ${host}`);
    }
    const listed = (await client.listAlerts()).alerts.map(({ name }) => name);
    t.strictSame(listed.filter((name) => names.includes(name)).sort(), names.toSorted());
    for (const name of names) await client.deleteAlert({ params: { name } });
    client.close();
  }
});
