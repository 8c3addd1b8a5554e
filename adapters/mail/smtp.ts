import { createSecureContext, rootCertificates } from 'node:tls';
import type { SMTPSentMessageInfo } from 'nodemailer';
import {
  type Mail,
  type Mailer,
  type MailServer,
  MissingPackage,
  type OptionChecks,
  option,
  type RefusedRecipient,
  readOptions,
} from '../../lib/driver-kit.js';
import { notSent } from './smtp-problems.js';

export interface SmtpOptions {
  /** PEM text of authorities to trust besides the usual ones: for mail servers of the house. Default: none. */
  readonly ca?: string | readonly string[];
  /**
   * For servers that ask who connects: a PKCS#12 file with the gateway's certificate and key, and its password. Default:
   * none is shown.
   */
  readonly pfx?: Buffer;
  readonly passphrase?: string;
  /** Milliseconds for looking up the name, connecting and TLS together. Default: 4 seconds. */
  readonly connectMillis?: number;
  /** Milliseconds without a word of the server. Default: 10 seconds. */
  readonly answerMillis?: number;
}

const smtpOptions: OptionChecks<SmtpOptions> = {
  ca: option.oneOrMore(option.text),
  pfx: option.bytes,
  passphrase: option.text,
  connectMillis: option.atLeast(1),
  answerMillis: option.atLeast(1),
};

/** Bytes of one answer of the server; longer ones cut the connection. */
const maxAnswerBytes = 64 * 1024;

/**
 * Speaks SMTP. Needs the package `nodemailer`. One connection for each mail, closed with it. Throws `TypeError` for a
 * `pfx` that `passphrase` does not open.
 */
export function smtpMailer(given: SmtpOptions = {}): Mailer {
  const options = readOptions('smtpMailer', given, smtpOptions);
  requireIdentity(options);
  return {
    async send(mail, server, { signal }) {
      const { createTransport } = await loadNodemailer();
      signal.throwIfAborted();
      const transport = createTransport(transportOptions(server, options));
      try {
        return refusedOf(await transport.sendMail(messageOf(mail, server, signal)));
      } catch (error) {
        signal.throwIfAborted();
        throw notSent(error);
      } finally {
        transport.close();
      }
    },
  };
}

function requireIdentity({ pfx, passphrase }: SmtpOptions): void {
  if (!pfx) return;
  try {
    createSecureContext({ pfx, ...(passphrase === undefined ? {} : { passphrase }) });
  } catch (cause) {
    throw new TypeError('smtpMailer: pfx is no PKCS#12 file, or passphrase is not its password', { cause });
  }
}

async function loadNodemailer(): Promise<typeof import('nodemailer')> {
  try {
    return await import('nodemailer');
  } catch (error) {
    throw new MissingPackage('Sending mails', 'nodemailer', error);
  }
}

function transportOptions(
  { host, port, encryption, login }: MailServer,
  { ca, pfx, passphrase, connectMillis = 4000, answerMillis = 10_000 }: SmtpOptions,
) {
  return {
    host,
    port,
    secure: encryption === 'ssl',
    requireTLS: encryption === 'tls',
    ignoreTLS: encryption === 'none',
    tls: {
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2' as const,
      ...(ca === undefined ? {} : { ca: [...rootCertificates, ...(typeof ca === 'string' ? [ca] : ca)] }),
      ...(pfx ? { pfx, ...(passphrase === undefined ? {} : { passphrase }) } : {}),
    },
    // A server that offers no login must not get the mail as if it had asked for none.
    ...(login ? { auth: { user: login.userName, pass: login.password }, forceAuth: true } : {}),
    connectionTimeout: connectMillis,
    dnsTimeout: connectMillis,
    greetingTimeout: answerMillis,
    socketTimeout: answerMillis,
    socketCloseTimeout: 1000,
    maxResponseSize: maxAnswerBytes,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function messageOf({ id, to, subject, text, html, time }: Mail, { from }: MailServer, signal: AbortSignal) {
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return {
    from: { name: from.name, address: from.address },
    to: to.map((address) => ({ name: '', address })),
    envelope: { from: from.address, to: [...to] },
    messageId: `<${id}@${domain}>`,
    date: new Date(time),
    subject,
    text,
    html,
    // Nobody's holiday notice answers (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
    signal,
  };
}

function refusedOf({ rejectedErrors = [] }: SMTPSentMessageInfo): readonly RefusedRecipient[] {
  return rejectedErrors.flatMap(({ recipient, responseCode = 0 }) =>
    recipient === undefined ? [] : [{ address: recipient, replyCode: responseCode }],
  );
}
