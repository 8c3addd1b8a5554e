import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import type { Mail } from '../../interfaces/mailer.js';
import type { DocumentWrite } from '../../interfaces/storage.js';
import { NotReady } from '../../model/errors.js';
import type { BackOff } from '../../runtime/back-off.js';
import { createMailResults } from './mail-results.js';
import { createMailSender, type Send } from './mail-sender.js';
import type { MailStore } from './outbox-store.js';
import { createSentMails, type SentMails } from './sent-mails.js';
import { createServerPause } from './server-pause.js';
import { createWaitingMails } from './waiting-mails.js';

/** Mails that wait for the mail server. One is on its way at a time, and each try ends within its limit. */
interface Outbox {
  /** Changes nothing yet. One whose id waits already is not taken twice. Throws `NotReady` after `close`. */
  prepare(mail: Mail): PreparedMail;
  readonly onSent: SentMails['listen'];
  /** The settings have changed: whatever is waited for, also an answer of the server, try now. */
  retryNow(): void;
  /** Why mails wait for the server; `undefined` while they don't. */
  whyMailsWait(): string | undefined;
  /** Idempotent. Cuts the try that is under way; what waits is lost unless it is kept. */
  close(): Promise<void>;
}

/** A mail on its way into the outbox: who brings it writes it in one batch with what it tells of, and queues it then. */
export interface PreparedMail {
  /** They keep it; none where unsent mails don't outlive a restart. */
  readonly writes: readonly DocumentWrite[];
  /**
   * Once `writes` are durable, never before: what is sent and forgotten first and kept then would be sent again after a
   * restart. Resolves when it waits, never waiting for the mail server.
   */
  queue(): Promise<void>;
}

const waitsAlready: PreparedMail = { writes: [], queue: async () => {} };

export interface OutboxLimits {
  /** Mails that wait; one more takes the place of the oldest. Default: 1000. */
  readonly mails: number;
  /** Milliseconds after which a mail is given up. Default: 24 hours. */
  readonly ageMillis: number;
  /** Milliseconds for one try. Default: 30 seconds. */
  readonly tryMillis: number;
  /** Milliseconds before the second try; the pause doubles. Default: 10 seconds. */
  readonly firstPauseMillis: number;
  /** Milliseconds that the pause never exceeds. Default: 15 minutes. */
  readonly longestPauseMillis: number;
}

export const defaultOutboxLimits: OutboxLimits = {
  mails: 1000,
  ageMillis: 24 * 3600_000,
  tryMillis: 30_000,
  firstPauseMillis: 10_000,
  longestPauseMillis: 15 * 60_000,
};

/** `kept`: what waited when the gateway was closed, oldest first. */
export function createOutbox(deps: {
  readonly send: Send;
  readonly store: MailStore;
  readonly kept: readonly Mail[];
  readonly limits: OutboxLimits;
  readonly clock: Clock;
  readonly logger: Logger;
}): Outbox {
  const { send, store, limits, clock, logger } = deps;
  const backOff: BackOff = { first: limits.firstPauseMillis, most: limits.longestPauseMillis };
  const waiting = createWaitingMails(backOff, clock);
  const server = createServerPause(backOff, clock);
  const sent = createSentMails(store, logger);
  const { ageMillis, tryMillis } = limits;
  const results = createMailResults({ waiting, server, store, sent, ageMillis, clock, logger });
  const sender = createMailSender({ send, waiting, server, results, tryMillis, clock });
  let isClosed = false;

  /** News are worth more than what could not be told for long. */
  async function dropOldest(): Promise<void> {
    const oldest = waiting.all().find((entry) => entry !== sender.current);
    if (oldest) await results.giveUp(oldest, `more than ${limits.mails} wait`);
  }

  for (const mail of deps.kept.slice(-limits.mails)) waiting.enter(mail);
  sender.schedule();

  return {
    prepare(mail) {
      if (isClosed) throw new NotReady('The gateway is closed');
      if (waiting.has(mail.id)) return waitsAlready;
      return {
        writes: store.put(mail),
        async queue() {
          if (waiting.has(mail.id)) return;
          const dropped = waiting.size >= limits.mails ? dropOldest() : undefined;
          waiting.enter(mail);
          sender.schedule();
          await dropped;
        },
      };
    },

    onSent: sent.listen,

    retryNow() {
      sender.cut();
      server.end();
      waiting.makeAllDue();
      sender.schedule();
    },

    whyMailsWait: () => (waiting.size > 0 ? server.problem : undefined),

    async close() {
      isClosed = true;
      await sender.close();
    },
  };
}
