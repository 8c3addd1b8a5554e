import type { NodemailerError } from 'nodemailer';
import { MailNotSent } from '../../lib/driver-kit.js';

/** What nodemailer rejected with, in a sentence that says what to look at. The server's own words stay in the cause. */
export function notSent(thrown: unknown): MailNotSent {
  const error: NodemailerError = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { code, responseCode } = error;
  const server = (why: string) => new MailNotSent(why, { blame: 'server', isFinal: false, cause: error });
  const answer = responseCode === undefined ? '' : ` (${responseCode})`;

  // Says goodbye, at whatever step: every mail would be treated like this one.
  if (responseCode === 421) return server('the mail server closed the connection (421)');
  switch (code) {
    case 'EDNS':
      return server("the mail server's name can't be found");
    case 'ETIMEDOUT':
      return server('the mail server did not answer in time');
    case 'ESOCKET':
    case 'ECONNECTION':
    case 'ETLS':
      return server(connectionProblem(error));
    case 'EAUTH':
      return server(`the mail server refused user name and password${answer}`);
    case 'EPROTOCOL':
      return server(`the mail server did not answer as one${answer}`);
    case 'EENVELOPE':
      if (error.command === 'MAIL FROM') return server(`the mail server refused the sender${answer}`);
      return ofMail(error, `the mail server refused all recipients${answer}`);
    case 'EMESSAGE':
      return ofMail(error, `the mail server refused the mail${answer}`);
    default:
      return server('the mail server behaved in an unexpected way; the log tells more');
  }
}

const ofMail = (error: NodemailerError, why: string): MailNotSent =>
  new MailNotSent(why, { blame: 'mail', isFinal: error.permanent === true, cause: error });

function connectionProblem({ code, command, message, originalCode }: NodemailerError): string {
  const cause = `${originalCode ?? ''} ${message}`;
  if (/cert|altname|self.signed|SELF_SIGNED|unable to verify/i.test(cause)) {
    return "the mail server's certificate is not trusted, or is for another name";
  }
  if (code === 'ETLS' || /^EPROTO|ERR_SSL|wrong version/i.test(cause)) {
    return command === 'STARTTLS'
      ? 'the mail server offers no STARTTLS; use ssl or another port'
      : 'the mail server does not speak TLS here; use tls or another port';
  }
  if (code === 'ECONNECTION') return 'the mail server closed the connection';
  return originalCode === undefined
    ? "the mail server can't be reached"
    : `the mail server can't be reached (${originalCode})`;
}
