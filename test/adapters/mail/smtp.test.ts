import t from 'tap';
import { type SmtpOptions, smtpMailer } from '../../../adapters/mail/smtp.js';
import { notSent } from '../../../adapters/mail/smtp-problems.js';
import type { Mail, MailServer } from '../../../lib/index.js';
import { refuses } from '../../helpers/accounts.js';
import { mailCertificate, password, stores } from '../../helpers/keystores.js';
import { mailServer, rudeServer } from '../../helpers/mail-server.js';
import { certificate } from '../../helpers/tls-front.js';

const login = { userName: 'gate', password: 'open sesame' };
const time = Date.UTC(2026, 10, 21, 23, 0, 0);

const mail: Mail = {
  id: 'change-1',
  to: ['ops@example.org', 'root@xn--bcher-kva.example'],
  subject: '[Headgate] Alert "größer als 90 %" in effect',
  text: 'first\n.\n..\nlast\n',
  html: '<p>first</p>\n',
  time,
};

/** As the server shows them. */
const recipients = ['ops@example.org', 'root@bücher.example'] as const;

const send = (
  server: MailServer,
  { signal = new AbortController().signal, ...options }: SmtpOptions & { signal?: AbortSignal } = {},
  content: Partial<Mail> = {},
) => smtpMailer({ ca: certificate, ...options }).send({ ...mail, ...content }, server, { signal });

t.test('a mail arrives whole: STARTTLS, a login, text and page', async (t) => {
  const server = await mailServer(t, { encryption: 'tls', login });
  t.strictSame(await send({ ...server.settings, login }), []);
  const [received] = server.received;
  t.match(received, {
    from: 'gate@example.org',
    recipients,
    isSecure: true,
    user: 'gate',
    email: {
      from: { address: 'gate@example.org', name: 'The gate' },
      subject: mail.subject,
      messageId: '<change-1@example.org>',
      date: new Date(time).toISOString(),
      html: mail.html,
    },
  });
  t.equal(received?.email.text?.trim(), mail.text.trim(), 'lines of a single dot are not the end');
  t.match(received?.raw, /^Auto-Submitted: auto-generated\r$/m);
});

t.test('TLS from the first byte, and none at all', async (t) => {
  for (const encryption of ['ssl', 'none'] as const) {
    const server = await mailServer(t, { encryption, login });
    await send({ ...server.settings, login });
    t.match(server.received, [{ isSecure: encryption === 'ssl', user: 'gate' }], encryption);
  }
});

t.test('certificates are checked, by authority and by name', async (t) => {
  const refused = {
    code: 'MAIL_NOT_SENT',
    status: 502,
    why: "the mail server's certificate is not trusted, or is for another name",
    blame: 'server',
  };
  for (const encryption of ['tls', 'ssl'] as const) {
    const server = await mailServer(t, { encryption });
    const { signal } = new AbortController();
    await refuses(
      t,
      smtpMailer().send(mail, server.settings, { signal }),
      refused,
      `${encryption}: nobody knows it`,
    );
    // The certificate is for localhost and 127.0.0.1.
    const elsewhere = await mailServer(t, { encryption, address: '127.0.0.2' });
    await refuses(t, send(elsewhere.settings), refused, `${encryption}: it is another's`);
    t.strictSame([...server.received, ...elsewhere.received], []);
  }
});

t.test('a server that asks who connects is shown a certificate', async (t) => {
  for (const encryption of ['tls', 'ssl'] as const) {
    const server = await mailServer(t, { encryption, clientCa: mailCertificate });
    await refuses(
      t,
      send(server.settings),
      { code: 'MAIL_NOT_SENT', blame: 'server' },
      `${encryption}: none`,
    );
    t.strictSame(await send(server.settings, { pfx: stores.openssl, passphrase: password }), []);
    t.equal(server.received.length, 1, encryption);
  }
  for (const wrong of [{ pfx: stores.openssl, passphrase: 'wrong' }, { pfx: Buffer.from('x') }]) {
    t.throws(() => smtpMailer(wrong), {
      name: 'TypeError',
      message: /pfx is no PKCS#12 file, or passphrase/,
    });
  }
});

t.test('no way down: without STARTTLS or login on the other side nothing is sent', async (t) => {
  const plain = await mailServer(t, { encryption: 'none' });
  await refuses(t, send({ ...plain.settings, encryption: 'tls' }), {
    why: /offers no STARTTLS/,
    blame: 'server',
  });
  await refuses(t, send({ ...plain.settings, encryption: 'ssl' }), { why: /does not speak TLS here/ });
  await refuses(t, send({ ...plain.settings, login }), { blame: 'server' });
  t.strictSame(plain.received, []);
});

t.test('what the server refuses, and whom that blames', async (t) => {
  const server = await mailServer(t, { encryption: 'none', login });
  const settings = { ...server.settings, login };
  await refuses(t, send({ ...settings, login: { ...login, password: 'wrong' } }), {
    why: 'the mail server refused user name and password (535)',
    blame: 'server',
    isFinal: false,
  });

  server.refuse({ recipients: { 'ops@example.org': 450 } });
  t.strictSame(await send(settings), [{ address: 'ops@example.org', replyCode: 450 }]);
  t.match(server.received, [{ recipients: [recipients[1]] }]);

  server.refuse({ recipients: { 'ops@example.org': 550, [recipients[1]]: 550 } });
  await refuses(t, send(settings), { why: /refused all recipients \(550\)/, blame: 'mail', isFinal: true });
  server.refuse({ recipients: { 'ops@example.org': 450, [recipients[1]]: 550 } });
  await refuses(t, send(settings), { why: /refused all recipients \(450\)/, blame: 'mail', isFinal: false });
  server.refuse({ content: 554 });
  await refuses(t, send(settings), { why: /refused the mail \(554\)/, blame: 'mail', isFinal: true });
  server.refuse({ content: 452 });
  await refuses(t, send(settings), { why: /refused the mail \(452\)/, blame: 'mail', isFinal: false });
  t.equal(server.received.length, 1);
});

t.test('servers that do not behave end within the limits', async (t) => {
  const from = { address: 'gate@example.org', name: '' };
  const at = (port: number, encryption: MailServer['encryption'] = 'none'): MailServer => ({
    host: '127.0.0.1',
    port,
    encryption,
    from,
  });
  /** For servers that would never end by themselves. */
  const quick = { connectMillis: 200, answerMillis: 200 };
  const usual = {};
  const gone = await mailServer(t);
  await gone.close();
  const cases: readonly [string, MailServer, RegExp, object][] = [
    ['nobody listens', at(gone.port), /can't be reached \(ECONNREFUSED\)/, usual],
    ['silence', at(await rudeServer(t)), /did not answer in time/, quick],
    ['silence before TLS', at(await rudeServer(t), 'ssl'), /did not answer in time/, quick],
    ['hangs up', at(await rudeServer(t, (socket) => socket.end())), /closed the connection/, usual],
    [
      'is busy',
      at(await rudeServer(t, (socket) => socket.end('421 later\r\n'))),
      /closed the connection \(421\)/,
      usual,
    ],
    [
      'speaks HTTP',
      at(await rudeServer(t, (socket) => socket.end('HTTP/1.1 400 no\r\n\r\n'))),
      /server/,
      usual,
    ],
    [
      'never ends a line',
      at(
        await rudeServer(t, (socket) => {
          socket.write('220-'.repeat(100_000));
        }),
      ),
      /server/,
      quick,
    ],
  ];
  for (const [name, server, why, limits] of cases) {
    await refuses(
      t,
      send(server, limits),
      { code: 'MAIL_NOT_SENT', why, blame: 'server', isFinal: false },
      name,
    );
  }
});

t.test('the signal ends it at once', async (t) => {
  const stop = new AbortController();
  const reason = new Error('enough');
  const port = await rudeServer(t, () => stop.abort(reason));
  const server: MailServer = {
    host: '127.0.0.1',
    port,
    encryption: 'none',
    from: { address: 'gate@example.org', name: '' },
  };
  await t.rejects(send(server, { signal: stop.signal }), reason);
  await t.rejects(send(server, { signal: AbortSignal.abort(reason) }), reason);
});

t.test('names can not add headers or recipients', async (t) => {
  const server = await mailServer(t, { encryption: 'none' });
  const evil = 'x\r\nBcc: spy@example.org\r\n\r\nbody';
  await send(
    { ...server.settings, from: { address: 'gate@example.org', name: evil } },
    {},
    { subject: evil },
  );
  const [received] = server.received;
  t.strictSame(received?.recipients, recipients);
  t.notOk(received?.email.headers.some(({ key }) => key === 'bcc'));
  t.equal(received?.email.text?.trim(), mail.text.trim());
});

t.test('what can not be brought about here is told by its code', async (t) => {
  const rows: readonly [object, object][] = [
    [{ code: 'EDNS' }, { why: "the mail server's name can't be found", blame: 'server' }],
    [
      { code: 'EENVELOPE', command: 'MAIL FROM', responseCode: 550 },
      { why: /refused the sender \(550\)/, blame: 'server' },
    ],
    [
      { code: 'EMESSAGE', responseCode: 421 },
      { why: /closed the connection \(421\)/, blame: 'server' },
    ],
    [{ code: 'ESOMETHING' }, { why: /unexpected way/, blame: 'server' }],
  ];
  for (const [error, problem] of rows) t.match(notSent(Object.assign(new Error('x'), error)), problem);
  t.match(notSent('thrown text'), { blame: 'server', isFinal: false });
});
