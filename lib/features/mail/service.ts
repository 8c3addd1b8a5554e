import type { Call } from '../../http/route.js';
import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import type { Mailer } from '../../interfaces/mailer.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import type { AlertChange, AlertTestMail, FieldRead } from '../../model/alerts.js';
import type { Sealing } from '../../storage/sealing.js';
import { createMailTransport } from './mail-transport.js';
import { type MailOptions, readMailOptions } from './options.js';
import { createOutbox, type PreparedMail } from './outbox.js';
import { documentMailStore, forgetfulStore } from './outbox-store.js';
import type { SmtpConfig, SmtpInput } from './schema.js';
import type { SentListener } from './sent-mails.js';
import { createSmtpSettings } from './settings.js';
import { createTestMails } from './test-mails.js';
import { changeText } from './texts.js';

/**
 * Who tells the recipients. Alerts are evaluated in rounds, and a round waits for none of this: mail servers that are
 * down, slow or not configured are the implementation's own worry.
 */
export interface AlertMails {
  /**
   * Prepares the mail about one change, which is taken over when it is queued. A change whose `id` waits already is not
   * taken twice. Rejects with a `GatewayError` when there can be no mail, such as when no mail server is configured; the
   * alert goes on without.
   */
  prepare(change: AlertChange): Promise<PreparedMail>;
  /**
   * Told the `id` of a change whose mail the mail server has accepted, which makes `emailSent` true, with what the outbox
   * has to write then: one batch with what the listener writes, of which it resolves whether it was written. Returns the
   * function that stops telling; what is sent meanwhile is told to the next listener.
   */
  onSent(listener: SentListener): () => void;
  /** The mail that recipients would get if the alert became active now. */
  shown(
    alert: Omit<AlertChange['alert'], 'recipients'>,
    fields: readonly FieldRead[],
  ): { readonly subject: string; readonly text: string };
  /** Sends at once, past everything that waits. Rejects with a `GatewayError` that says what is wrong. */
  sendTest(mail: AlertTestMail, signal: AbortSignal): Promise<void>;
}

export interface MailService {
  /** Rejects with `NotFound` while nothing is configured. */
  getSmtp(): Promise<SmtpConfig>;
  /**
   * Keeps the settings and sends a test mail with them. Rejects with `TestMailNotSent` when that fails: they are kept
   * all the same.
   */
  putSmtp(call: Call, input: SmtpInput): Promise<void>;
  /** What the alerts' room hands over. */
  readonly alerts: AlertMails;
  /** What has to be done before any mail can be sent, in words for an administrator; `undefined`: nothing. */
  missing(): Promise<string | undefined>;
  /** Why mails wait for the mail server; `undefined` while they don't. */
  whyMailsWait(): string | undefined;
  /** Idempotent. Mails that wait are lost unless they are durable. */
  close(): Promise<void>;
}

export async function createMailService(deps: {
  readonly documents: DocumentStore;
  readonly sealing: Sealing;
  readonly mailer: Mailer | undefined;
  readonly options: MailOptions | undefined;
  /** Mails that could not be sent yet outlive a restart, as alerts do. */
  readonly isDurable: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Milliseconds that somebody waits for a test mail. */
  readonly testMillis: number;
}): Promise<MailService> {
  const { documents, mailer, clock, logger, testMillis } = deps;
  const { letterhead, limits } = readMailOptions(deps.options);
  const settings = createSmtpSettings(deps);
  const transport = createMailTransport(mailer, settings);
  const store = deps.isDurable ? documentMailStore(documents) : forgetfulStore;
  const kept = await store.load();
  const outbox = createOutbox({ send: transport.send, store, kept, limits, clock, logger });
  const closing = new AbortController();
  const { signal } = closing;
  const testMails = createTestMails({ transport, letterhead, clock, testMillis, closing: signal });

  return {
    getSmtp: settings.get,

    async putSmtp({ user }, input) {
      transport.requireMailer();
      if (input.authType === 'password' && input.encryptionType === 'none') {
        logger.warn(
          { event: 'mail.plaintext_password', host: input.host },
          'the password crosses the network as it is: use tls or ssl',
        );
      }
      const config = await settings.put(user, input);
      await testMails.ofSettings(config, user.userName).finally(outbox.retryNow);
    },

    alerts: {
      async prepare(change) {
        await transport.requireReady();
        const { id, alert, time } = change;
        return outbox.prepare({ id, to: alert.recipients, ...changeText(change, letterhead), time });
      },
      onSent: outbox.onSent,
      shown(alert, fields) {
        const { subject, text } = changeText(
          { kind: 'triggered', alert, time: clock.now(), fields },
          letterhead,
        );
        return { subject, text };
      },
      sendTest: testMails.ofAlert,
    },

    missing: transport.missing,
    whyMailsWait: outbox.whyMailsWait,
    async close() {
      closing.abort();
      await outbox.close();
    },
  };
}
