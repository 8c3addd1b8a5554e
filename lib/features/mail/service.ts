import { randomUUID } from 'node:crypto';
import { readAddresses } from '../../formats/mail-addresses.js';
import type { Call } from '../../http/route.js';
import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import type { Mail, Mailer, MailServer } from '../../interfaces/mailer.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import type { AlertChange, AlertTestMail } from '../../model/alerts.js';
import { Conflict, GatewayError, MailNotSent, NotSupported, TestMailNotSent } from '../../model/errors.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import type { Sealing } from '../../storage/sealing.js';
import { type MailOptions, readMailOptions } from './options.js';
import { createOutbox } from './outbox.js';
import { documentMailStore, forgetfulStore } from './outbox-store.js';
import type { MailText } from './page.js';
import type { SmtpConfig, SmtpInput } from './schema.js';
import { createSmtpSettings } from './settings.js';
import { alertTestText, changeText, settingsTestText } from './texts.js';

/**
 * Who tells the recipients. Alerts are evaluated in rounds, and a round waits for none of this: mail servers that are
 * down, slow or not configured are the implementation's own worry.
 */
export interface AlertMails {
  /**
   * Takes over the mail about one change. Resolves when it is taken (kept, where unsent mails outlive a restart), which
   * must not wait for a mail server. A change whose `id` is still kept from an earlier call is not taken twice: after a
   * crash it may be told again. Rejects with a `GatewayError` when it is not taken, such as when too many wait; the
   * alert goes on without.
   */
  notify(change: AlertChange): Promise<void>;
  /**
   * Told the `id` of a change whose mail the mail server has accepted, which makes `emailSent` true. Returns the
   * function that stops telling.
   */
  onSent(listener: (changeId: string) => void): () => void;
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
  trouble(): string | undefined;
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
  const store = deps.isDurable ? documentMailStore(documents) : forgetfulStore;
  const closing = new AbortController();
  const outbox = createOutbox({
    send: async (mail, signal) => requireMailer().send(mail, await requireServer(), { signal }),
    store,
    kept: await store.load(),
    limits,
    clock,
    logger,
  });

  function requireMailer(): Mailer {
    if (mailer) return mailer;
    throw new NotSupported('none', `mail: ${noMailer}`);
  }

  async function requireServer(): Promise<MailServer> {
    const server = await settings.server();
    if (!server) throw notConfigured();
    return server;
  }

  const mailOf = (id: string, to: readonly string[], text: MailText, time: number): Mail => ({
    id,
    to,
    ...text,
    time,
  });

  /** Past the outbox, with an answer. Rejects with `MailNotSent` or `TimedOut`. */
  async function sendNow(mail: Mail, server: MailServer, signal: AbortSignal | undefined): Promise<void> {
    const refused = await withTimeout(testMillis, 'The mail server', closing.signal, (limited) =>
      requireMailer().send(mail, server, { signal: signal ? AbortSignal.any([limited, signal]) : limited }),
    );
    const [first] = refused;
    if (!first) return;
    throw new MailNotSent(`the mail server refused ${first.address} (${first.replyCode})`, {
      blame: 'mail',
      isFinal: first.replyCode >= 500,
    });
  }

  return {
    getSmtp: settings.get,

    async putSmtp({ user }, input) {
      requireMailer();
      if (input.authType === 'password' && input.encryptionType === 'none') {
        logger.warn(
          { event: 'mail.plaintext_password', host: input.host },
          'the password crosses the network as it is: use tls or ssl',
        );
      }
      const config = await settings.put(user, input);
      try {
        const server = await requireServer();
        const time = clock.now();
        const text = settingsTestText(server, user.userName, time, letterhead);
        // Not with the client's signal: the settings are kept, and whoever hangs up may look at the mail.
        await sendNow(
          mailOf(randomUUID(), readAddresses(config.testAddr).addresses ?? [], text, time),
          server,
          undefined,
        );
      } catch (error) {
        throw new TestMailNotSent(reasonOf(error), error);
      } finally {
        outbox.retryNow();
      }
    },

    alerts: {
      async notify(change) {
        requireMailer();
        if (!(await settings.isConfigured())) throw notConfigured();
        const text = changeText(change, letterhead);
        await outbox.add(mailOf(change.id, change.alert.recipients, text, change.time));
      },
      onSent: outbox.onSent,
      async sendTest(mail, signal) {
        requireMailer();
        const server = await requireServer();
        const time = clock.now();
        const text = alertTestText(mail, time, letterhead);
        await sendNow(mailOf(randomUUID(), mail.recipients, text, time), server, signal);
      },
    },

    async missing() {
      if (!mailer) return noMailer;
      return (await settings.isConfigured()) ? undefined : noServer;
    },
    trouble: outbox.trouble,
    async close() {
      closing.abort();
      await outbox.close();
    },
  };
}

const noMailer = 'the host gives no `mailer` to createGateway';
const noServer = 'no mail server is configured, PUT /ws/v2/config/smtp says which one';
const notConfigured = () => new Conflict('MAIL_NOT_CONFIGURED', `No mail is sent: ${noServer}`);

const reasonOf = (error: unknown): string => {
  if (error instanceof MailNotSent) return error.why;
  return error instanceof GatewayError ? error.message : 'the mailer failed; the log tells more';
};
