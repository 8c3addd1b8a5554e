import type { Mailer, MailServer } from '../../interfaces/mailer.js';
import { Conflict, NotSupported } from '../../model/errors.js';
import type { Send } from './mail-sender.js';
import type { SmtpSettings } from './settings.js';

/** The host's mailer with the mail server that is configured. */
export interface MailTransport {
  readonly send: Send;
  /** Throws `NotSupported` when the host gives none. */
  requireMailer(): Mailer;
  /** Rejects with `Conflict` while none is configured. */
  requireServer(): Promise<MailServer>;
  /** Throws and rejects like the two above: a mail that is queued now could be sent. */
  requireReady(): Promise<void>;
  /** What has to be done before any mail can be sent, in words for an administrator; `undefined`: nothing. */
  missing(): Promise<string | undefined>;
}

export function createMailTransport(
  mailer: Mailer | undefined,
  settings: Pick<SmtpSettings, 'server' | 'isConfigured'>,
): MailTransport {
  function requireMailer(): Mailer {
    if (mailer) return mailer;
    throw new NotSupported('none', `mail: ${noMailer}`);
  }

  async function requireServer(): Promise<MailServer> {
    const server = await settings.server();
    if (!server) throw notConfigured();
    return server;
  }

  return {
    send: async (mail, signal) => requireMailer().send(mail, await requireServer(), { signal }),
    requireMailer,
    requireServer,
    async requireReady() {
      requireMailer();
      if (!(await settings.isConfigured())) throw notConfigured();
    },
    async missing() {
      if (!mailer) return noMailer;
      return (await settings.isConfigured()) ? undefined : noServer;
    },
  };
}

const noMailer = 'the host gives no `mailer` to createGateway';
const noServer = 'no mail server is configured, PUT /ws/v2/config/smtp says which one';
const notConfigured = () => new Conflict('MAIL_NOT_CONFIGURED', `No mail is sent: ${noServer}`);
