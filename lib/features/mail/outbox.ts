import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import type { Mail, RefusedRecipient } from '../../interfaces/mailer.js';
import { GatewayError, MailNotSent, NotReady } from '../../model/errors.js';
import type { BackOff } from '../../runtime/back-off.js';
import { keyedMutex } from '../../runtime/keyed-mutex.js';
import { createListeners } from '../../runtime/listeners.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import { createMailResults } from './mail-results.js';
import type { MailStore } from './outbox-store.js';
import { createServerPause } from './server-pause.js';
import { createWaitingMails, type WaitingMail } from './waiting-mails.js';

/** Mails that wait for the mail server. One is on its way at a time, and each try ends within its limit. */
interface Outbox {
  /**
   * Resolves when the mail is taken, never waiting for the mail server. One whose id waits already is not taken twice.
   * Rejects when it could not be kept, or with `NotReady` after `close`.
   */
  add(mail: Mail): Promise<void>;
  /** Told the id of a mail that the server took. Returns the function that stops telling. */
  onSent(listener: (id: string) => void): () => void;
  /** The settings have changed: whatever is waited for, also an answer of the server, try now. */
  retryNow(): void;
  /** Why mails wait for the server; `undefined` while they don't. */
  trouble(): string | undefined;
  /** Idempotent. Cuts the try that is under way; what waits is lost unless it is kept. */
  close(): Promise<void>;
}

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

/** How long a mailer may take to notice that it is to stop. */
const closeMillis = 2000;

type Send = (mail: Mail, signal: AbortSignal) => Promise<readonly RefusedRecipient[]>;

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
  const listeners = createListeners<[id: string]>((err) =>
    logger.error({ event: 'mail.listener_failed', err }, 'a listener for sent mails failed'),
  );
  const results = createMailResults({
    waiting,
    server,
    store,
    onSent: listeners.tell,
    ageMillis: limits.ageMillis,
    clock,
    logger,
  });
  let isClosed = false;
  /** By id: a change that is told twice at once is one mail. */
  const adding = keyedMutex();
  let underWay: Promise<void> | undefined;
  let current: WaitingMail | undefined;
  /** Ends the try that is under way. */
  let cut: AbortController | undefined;
  /** Nothing is waited for any more. */
  const closed = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  function schedule(): void {
    clearTimeout(timer);
    if (underWay || isClosed) return;
    const entry = waiting.next();
    if (!entry) return;
    const wait = Math.max(entry.notBefore, server.until) - clock.monotonic();
    timer = setTimeout(begin, Math.max(0, wait), entry).unref();
  }

  function begin(entry: WaitingMail): void {
    current = entry;
    const goOn = () => {
      underWay = current = undefined;
      schedule();
    };
    // It rejects only when the logger is out of order, and then there is nowhere to say it.
    underWay = attempt(entry).then(goOn, goOn);
  }

  async function attempt(entry: WaitingMail): Promise<void> {
    await results.giveUpOld();
    const { id } = entry.mail;
    if (isClosed || !waiting.has(id)) return;
    const mine = new AbortController();
    cut = mine;
    try {
      // A mailer that is cut says what came of the mail: what the server took is not sent again.
      const refused = await withTimeout(limits.tryMillis, 'The mail server', closed.signal, (signal) =>
        send(entry.mail, AbortSignal.any([signal, mine.signal])),
      );
      await results.taken(entry, refused);
    } catch (error) {
      if (mine.signal.aborted) return;
      await results.failed(entry, asMailNotSent(error));
    }
  }

  /** News are worth more than what could not be told for long. */
  async function dropOldest(): Promise<void> {
    const oldest = waiting.all().find((entry) => entry !== current);
    if (oldest) await results.giveUp(oldest, `more than ${limits.mails} wait`);
  }

  for (const mail of deps.kept.slice(-limits.mails)) waiting.enter(mail);
  schedule();

  return {
    add: (mail) =>
      adding(mail.id, async () => {
        if (isClosed) throw new NotReady('The gateway is closed');
        if (waiting.has(mail.id)) return;
        // Before it may be sent: what is forgotten first and kept then would be sent again after a restart.
        await store.put(mail);
        if (waiting.size >= limits.mails) await dropOldest();
        waiting.enter(mail);
        schedule();
      }),

    onSent: listeners.add,

    retryNow() {
      cut?.abort();
      server.end();
      waiting.makeAllDue();
      schedule();
    },

    trouble: () => (waiting.size > 0 ? server.problem : undefined),

    async close() {
      isClosed = true;
      cut?.abort();
      clearTimeout(timer);
      await withTimeout(closeMillis, 'The mailer', undefined, async () => underWay).catch(() => {});
      closed.abort();
    },
  };
}

/** What a mailer of the host throws may be anything; what is shown of it is a sentence of ours. */
function asMailNotSent(error: unknown): MailNotSent {
  if (error instanceof MailNotSent) return error;
  const why = error instanceof GatewayError ? error.message : 'the mailer failed; the log tells more';
  return new MailNotSent(why, { blame: 'server', isFinal: false, cause: error });
}
