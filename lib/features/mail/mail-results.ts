import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import type { RefusedRecipient } from '../../interfaces/mailer.js';
import type { DocumentWrite } from '../../interfaces/storage.js';
import type { MailNotSent } from '../../model/errors.js';
import type { MailStore } from './outbox-store.js';
import type { SentMails } from './sent-mails.js';
import type { ServerPause } from './server-pause.js';
import type { WaitingMail, WaitingMails } from './waiting-mails.js';

/** What becomes of a mail after a try: it is done, it waits for another one, or it is given up. */
export interface MailResults {
  /** The server took the mail, except for these recipients. */
  taken(entry: WaitingMail, refused: readonly RefusedRecipient[]): Promise<void>;
  failed(entry: WaitingMail, error: MailNotSent): Promise<void>;
  giveUp(entry: WaitingMail, why: string): Promise<void>;
  giveUpOld(): Promise<void>;
}

export function createMailResults(deps: {
  readonly waiting: WaitingMails;
  readonly server: ServerPause;
  readonly store: MailStore;
  readonly sent: Pick<SentMails, 'tell'>;
  readonly ageMillis: number;
  readonly clock: Clock;
  readonly logger: Logger;
}): MailResults {
  const { waiting, server, store, sent, clock, logger } = deps;

  async function taken(entry: WaitingMail, refused: readonly RefusedRecipient[]): Promise<void> {
    server.answered();
    const { mail } = entry;
    for (const { address, replyCode } of refused.filter(isForGood)) {
      logger.warn(
        { event: 'mail.recipient_refused', mail: mail.id, address, replyCode },
        'the mail server refuses a recipient',
      );
    }
    const rest = refused.filter((recipient) => !isForGood(recipient)).map(({ address }) => address);
    const isNews = !entry.isSent && refused.length < mail.to.length;
    if (isNews) entry.isSent = true;
    const write = isNews ? (writes: readonly DocumentWrite[]) => sent.tell(mail.id, writes) : store.write;
    if (rest.length === 0) return remove(entry, write);
    entry.mail = { ...mail, to: rest };
    waiting.postpone(entry);
    await write(store.put(entry.mail)).catch((err: unknown) => {
      logger.error(
        { event: 'mail.recipients_not_saved', err, mail: mail.id },
        'the recipients left of a mail could not be kept',
      );
    });
  }

  async function failed(entry: WaitingMail, error: MailNotSent): Promise<void> {
    const { why, blame, isFinal } = error;
    if (blame === 'server') {
      entry.tries++;
      server.failed(why);
    } else {
      server.answered();
      if (isFinal) return giveUp(entry, why);
      waiting.postpone(entry);
    }
    logger.warn(
      { event: 'mail.failed', err: error, mail: entry.mail.id, tries: entry.tries },
      'a mail could not be sent',
    );
  }

  async function giveUp(entry: WaitingMail, why: string): Promise<void> {
    const { id, subject, to } = entry.mail;
    await remove(entry);
    logger.error({ event: 'mail.given_up', mail: id, subject, to, why }, 'a mail was given up');
  }

  async function giveUpOld(): Promise<void> {
    const oldest = clock.now() - deps.ageMillis;
    for (const entry of waiting.all()) {
      if (entry.mail.time < oldest) await giveUp(entry, 'it is too old');
    }
  }

  async function remove({ mail: { id } }: WaitingMail, write = store.write): Promise<void> {
    waiting.remove(id);
    await write(store.remove(id)).catch((err: unknown) => {
      logger.error(
        { event: 'mail.not_removed', err, mail: id },
        'a mail that is done could not be forgotten; it may be sent again',
      );
    });
  }

  return { taken, failed, giveUp, giveUpOld };
}

const isForGood = ({ replyCode }: RefusedRecipient): boolean => replyCode >= 500;
