import { randomBytes } from 'node:crypto';
import t from 'tap';
import { smtpMailer } from '../../../../adapters/mail/smtp.js';
import { memoryStorage } from '../../../../adapters/storage/memory.js';
import type { MailOptions } from '../../../../lib/features/mail/options.js';
import { createMailService } from '../../../../lib/features/mail/service.js';
import type { Principal } from '../../../../lib/http/principal.js';
import { aesSecrets, type Mailer, type Storage } from '../../../../lib/index.js';
import type { AlertChange } from '../../../../lib/model/alerts.js';
import { machineClock } from '../../../../lib/options.js';
import { createSealing } from '../../../../lib/storage/sealing.js';
import { type LogLine, loggerInto } from '../../../helpers/gateway.js';
import { mailServer, rudeServer } from '../../../helpers/mail-server.js';
import { certificate } from '../../../helpers/tls-front.js';
import { until } from '../../../helpers/waiting.js';

// What the room of alerts hands over (`lib/model/alerts.ts`), up to a real mail server.

type Teardown = { teardown(end: () => Promise<void>): unknown };

const login = { userName: 'gate', password: 'open sesame' };
const admin: Principal = {
  userName: 'ada',
  roles: ['admin'],
  permissions: new Set(),
  isAdmin: true,
  identity: { userName: 'ada' },
};
const call = () => ({ user: admin, signal: new AbortController().signal });

const settingsAt = (port: number) => ({
  host: '127.0.0.1',
  port: String(port),
  fromAddr: 'gate@example.org',
  fromName: '',
  encryptionType: 'tls' as const,
  authType: 'password' as const,
  username: login.userName,
  password: login.password,
  testAddr: 'ops@example.org',
});

async function mailing(
  t: Teardown,
  more: {
    mailer?: Mailer | 'none';
    storage?: Storage;
    options?: MailOptions;
    isDurable?: boolean;
    testMillis?: number;
  } = {},
) {
  const { mailer = smtpMailer({ ca: certificate }), storage = memoryStorage(), testMillis = 5000 } = more;
  const logs: LogLine[] = [];
  const mail = await createMailService({
    documents: storage.documents,
    sealing: createSealing(aesSecrets(key)),
    mailer: mailer === 'none' ? undefined : mailer,
    isDurable: more.isDurable ?? false,
    options: { ...more.options, limits: { firstPauseMillis: 10, longestPauseMillis: 20 } },
    clock: machineClock,
    logger: loggerInto(logs),
    testMillis,
  });
  t.teardown(mail.close);
  /** As the room of alerts does, without a status of its own. */
  async function notify(change: AlertChange): Promise<void> {
    const prepared = await mail.alerts.prepare(change);
    await storage.documents.write(prepared.writes);
    await prepared.queue();
  }
  return { ...mail, notify };
}
const key = randomBytes(32);

const time = Date.now();
const changeOf = (id: string, more: Partial<AlertChange> = {}): AlertChange => ({
  id,
  kind: 'triggered',
  alert: {
    name: 'latency > 90% / "a"\r\nBcc: spy@example.org',
    owner: 'ada',
    condition: "_topic['applications.a1'].latency > 500",
    recipients: ['ops@example.org', 'root@xn--bcher-kva.example'],
    description: 'Orders are slow',
    timeThresholdMillis: 5000,
  },
  time,
  inTime: time,
  fields: [{ topic: 'applications.a1', path: ['latency'], value: '731' }],
  ...more,
});

t.test('each change is one mail to all its recipients, and is told when it is sent', async (t) => {
  const server = await mailServer(t, { login });
  const mail = await mailing(t, { options: { consoleUrl: 'https://console.example.org' } });
  const sent: string[] = [];
  mail.alerts.onSent(async (id) => {
    sent.push(id);
    return false;
  });
  await mail.putSmtp(call(), settingsAt(server.port));
  await mail.notify(changeOf('a-1'));
  await mail.notify(changeOf('a-2', { kind: 'cleared', time: time + 65_000 }));
  await mail.notify(changeOf('a-3', { kind: 'disabled', fields: [] }));
  await until(
    async () => sent.length,
    (count) => count === 3,
  );
  t.strictSame(sent, ['a-1', 'a-2', 'a-3']);
  const mails = server.received.slice(1);
  const name = 'latency > 90% / "a" Bcc: spy@example.org';
  t.strictSame(
    mails.map(({ email }) => email.subject),
    ['in effect', 'out of effect', 'disabled'].map((state) => `[Headgate] Alert "${name}" ${state}`),
  );
  for (const { recipients, isSecure, user, email } of mails) {
    t.strictSame(recipients, ['ops@example.org', 'root@bücher.example']);
    t.match({ isSecure, user }, { isSecure: true, user: 'gate' });
    t.match(email.text, 'Orders are slow');
    t.match(email.html, 'https://console.example.org/');
  }
  t.match(mails[0]?.email.text, 'applications.a1.latency: 731');
  t.match(mails[1]?.email.text, 'Duration: 1 min 5 s');
});

t.test('a test mail is sent at once, past what waits, or says why not', async (t) => {
  const server = await mailServer(t, { login });
  const mail = await mailing(t);
  await mail.putSmtp(call(), settingsAt(server.port));
  const { description, condition, recipients } = changeOf('a').alert;
  const test = { description, condition, recipients, result: true, fields: [], userName: 'eve' };
  await mail.alerts.sendTest(test, call().signal);
  t.match(server.received[1]?.email, { subject: '[Headgate] Test of an alert', text: /Asked for by: eve/ });
  server.refuse({ recipients: { 'ops@example.org': 550 } });
  await t.rejects(mail.alerts.sendTest(test, call().signal), {
    status: 502,
    message: /the mail server refused ops@example.org \(550\)/,
  });
  const stop = new AbortController();
  await t.rejects(
    mail.alerts.sendTest(test, AbortSignal.abort(stop.signal.reason)),
    'nobody waits for it any more',
  );
});

t.test('without a mailer or a server nothing is taken, and it says what is missing', async (t) => {
  const unconfigured = await mailing(t);
  await t.rejects(unconfigured.notify(changeOf('a')), {
    status: 409,
    message: /PUT \/ws\/v2\/config\/smtp/,
  });
  const without = await mailing(t, { mailer: 'none' });
  await t.rejects(without.notify(changeOf('a')), { status: 501, message: /mailer/ });
});

t.test('a server that hangs delays nothing, and mails come through when another one is named', async (t) => {
  const silent = await rudeServer(t);
  const mail = await mailing(t, { testMillis: 10_000 });
  await t.rejects(mail.putSmtp(call(), settingsAt(silent)), {
    status: 502,
    code: 'TEST_MAIL_NOT_SENT',
    message: /did not answer in time/,
  });
  for (let i = 0; i < 10; i++) await mail.notify(changeOf(`a-${i}`));
  const server = await mailServer(t, { login });
  await mail.putSmtp(call(), settingsAt(server.port));
  await until(
    async () => server.received.length,
    (count) => count === 11,
  );
  t.equal(mail.whyMailsWait(), undefined);
});

t.test('unsent mails outlive a restart where that is asked for', async (t) => {
  for (const isDurable of [true, false]) {
    const storage = memoryStorage();
    const gone = await mailServer(t, { login });
    await gone.close();
    const before = await mailing(t, { storage, isDurable });
    await t.rejects(before.putSmtp(call(), settingsAt(gone.port)), { message: /ECONNREFUSED/ });
    t.equal(before.whyMailsWait(), undefined, 'nothing waits yet');
    await before.notify(changeOf('kept'));
    await until(
      async () => before.whyMailsWait(),
      (trouble) => /ECONNREFUSED/.test(trouble ?? ''),
    );
    await before.close();

    const server = await mailServer(t, { login, port: gone.port });
    const after = await mailing(t, { storage, isDurable });
    await after.notify(changeOf('new'));
    await until(
      async () => server.received.map(({ email }) => email.messageId),
      (ids) => ids.includes('<new@example.org>'),
    );
    t.strictSame(
      server.received.map(({ email }) => email.messageId),
      [...(isDurable ? ['<kept@example.org>'] : []), '<new@example.org>'],
    );
    await after.close();
    await server.close();
  }
});
