import { randomUUID } from 'node:crypto';
import { readAddresses } from '../../formats/mail-addresses.js';
import type { Clock } from '../../interfaces/clock.js';
import type { Mail, MailServer } from '../../interfaces/mailer.js';
import type { AlertTestMail } from '../../model/alerts.js';
import { GatewayError, MailNotSent, TestMailNotSent } from '../../model/errors.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import type { MailTransport } from './mail-transport.js';
import type { SmtpConfig } from './schema.js';
import { alertTestText, type Letterhead, settingsTestText } from './texts.js';

/** Mails to try things out: they go past the outbox, and somebody waits for the answer. */
interface TestMails {
  /** Rejects with a `GatewayError` that says what is wrong. */
  ofAlert(mail: AlertTestMail, signal: AbortSignal): Promise<void>;
  /** Rejects with `TestMailNotSent`. */
  ofSettings(config: SmtpConfig, userName: string): Promise<void>;
}

export function createTestMails(deps: {
  readonly transport: MailTransport;
  readonly letterhead: Letterhead;
  readonly clock: Clock;
  /** Milliseconds that somebody waits for one. */
  readonly testMillis: number;
  readonly closing: AbortSignal;
}): TestMails {
  const { transport, letterhead, clock, testMillis, closing } = deps;

  /** Rejects with `MailNotSent` or `TimedOut`. */
  async function sendNow(mail: Omit<Mail, 'id'>, server: MailServer, caller?: AbortSignal): Promise<void> {
    const refused = await withTimeout(testMillis, 'The mail server', closing, (limited) => {
      const signal = caller ? AbortSignal.any([limited, caller]) : limited;
      return transport.requireMailer().send({ id: randomUUID(), ...mail }, server, { signal });
    });
    const [first] = refused;
    if (!first) return;
    throw new MailNotSent(`the mail server refused ${first.address} (${first.replyCode})`, {
      blame: 'mail',
      isFinal: first.replyCode >= 500,
    });
  }

  return {
    async ofAlert(mail, signal) {
      transport.requireMailer();
      const server = await transport.requireServer();
      const time = clock.now();
      await sendNow({ to: mail.recipients, ...alertTestText(mail, time, letterhead), time }, server, signal);
    },
    async ofSettings({ testAddr }, userName) {
      try {
        const server = await transport.requireServer();
        const time = clock.now();
        const text = settingsTestText(server, userName, time, letterhead);
        // Not with the client's signal: the settings are kept, and whoever hangs up may look at the mail.
        await sendNow({ to: readAddresses(testAddr).addresses ?? [], ...text, time }, server);
      } catch (error) {
        throw new TestMailNotSent(reasonOf(error), error);
      }
    },
  };
}

const reasonOf = (error: unknown): string => {
  if (error instanceof MailNotSent) return error.why;
  return error instanceof GatewayError ? error.message : 'the mailer failed; the log tells more';
};
