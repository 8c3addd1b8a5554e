import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import type { Mail, RefusedRecipient } from '../../interfaces/mailer.js';
import { GatewayError, MailNotSent, NotReady } from '../../model/errors.js';
import { type BackOff, pauseAfter } from '../../runtime/back-off.js';
import { keyedMutex } from '../../runtime/keyed-mutex.js';
import { createListeners } from '../../runtime/listeners.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import type { MailStore } from './outbox-store.js';

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

interface Waiting {
  mail: Mail;
  /** Those that failed. */
  tries: number;
  /** Monotonic. */
  notBefore: number;
  /** A part of the recipients has it. */
  isSent: boolean;
}

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
  const waiting = new Map<string, Waiting>();
  const listeners = createListeners<[id: string]>((err) =>
    logger.error({ event: 'mail.listener_failed', err }, 'a listener for sent mails failed'),
  );
  let isClosed = false;
  /** By id: a change that is told twice at once is one mail. */
  const adding = keyedMutex();
  let underWay: Promise<void> | undefined;
  let current: Waiting | undefined;
  /** Ends the try that is under way. */
  let cut: AbortController | undefined;
  /** Nothing is waited for any more. */
  const closed = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  /** Of the server, in a row, and what they make us wait for. */
  let failures = 0;
  let pausedUntil = 0;
  let problem: string | undefined;

  function enter(mail: Mail): void {
    waiting.set(mail.id, { mail, tries: 0, notBefore: 0, isSent: false });
  }

  /** What has been tried least comes first, then the oldest: a mail that the server chokes on holds up no other. */
  function next(): Waiting | undefined {
    let best: Waiting | undefined;
    for (const entry of waiting.values()) {
      if (!best || comesBefore(entry, best)) best = entry;
    }
    return best;
  }

  const comesBefore = (one: Waiting, other: Waiting): boolean =>
    isDue(one) && isDue(other) ? one.tries < other.tries : one.notBefore < other.notBefore;
  const isDue = ({ notBefore }: Waiting): boolean => notBefore <= clock.monotonic();

  function schedule(): void {
    clearTimeout(timer);
    if (underWay || isClosed) return;
    const entry = next();
    if (!entry) return;
    const wait = Math.max(entry.notBefore, pausedUntil) - clock.monotonic();
    timer = setTimeout(begin, Math.max(0, wait), entry).unref();
  }

  function begin(entry: Waiting): void {
    current = entry;
    const goOn = () => {
      underWay = current = undefined;
      schedule();
    };
    // It rejects only when the logger is out of order, and then there is nowhere to say it.
    underWay = attempt(entry).then(goOn, goOn);
  }

  async function attempt(entry: Waiting): Promise<void> {
    await giveUpOld();
    const { id } = entry.mail;
    if (isClosed || !waiting.has(id)) return;
    const mine = new AbortController();
    cut = mine;
    try {
      // A mailer that is cut says what came of the mail: what the server took is not sent again.
      const refused = await withTimeout(limits.tryMillis, 'The mail server', closed.signal, (signal) =>
        send(entry.mail, AbortSignal.any([signal, mine.signal])),
      );
      serverAnswered();
      await taken(entry, refused);
    } catch (error) {
      if (mine.signal.aborted) return;
      await failed(entry, asMailNotSent(error));
    }
  }

  async function failed(entry: Waiting, error: MailNotSent): Promise<void> {
    const { why, blame, isFinal } = error;
    entry.tries++;
    if (blame === 'server') {
      pause(why);
    } else {
      serverAnswered();
      if (isFinal) return giveUp(entry, why);
      postpone(entry);
    }
    logger.warn(
      { event: 'mail.failed', err: error, mail: entry.mail.id, tries: entry.tries },
      'a mail could not be sent',
    );
  }

  async function taken(entry: Waiting, refused: readonly RefusedRecipient[]): Promise<void> {
    const { mail } = entry;
    if (!entry.isSent && refused.length < mail.to.length) {
      entry.isSent = true;
      listeners.tell(mail.id);
    }
    for (const { address, replyCode } of refused.filter(isForGood)) {
      logger.warn(
        { event: 'mail.recipient_refused', mail: mail.id, address, replyCode },
        'the mail server refuses a recipient',
      );
    }
    const rest = refused.filter((recipient) => !isForGood(recipient)).map(({ address }) => address);
    if (rest.length === 0) return remove(entry);
    entry.mail = { ...mail, to: rest };
    entry.tries++;
    postpone(entry);
    await store.put(entry.mail).catch((err: unknown) => {
      logger.error(
        { event: 'mail.recipients_not_saved', err, mail: mail.id },
        'the recipients left of a mail could not be kept',
      );
    });
  }

  function postpone(entry: Waiting): void {
    entry.notBefore = clock.monotonic() + pauseAfter(entry.tries, backOff, Math.random());
  }

  function serverAnswered(): void {
    failures = 0;
    problem = undefined;
  }

  function pause(why: string): void {
    problem = why;
    pausedUntil = clock.monotonic() + pauseAfter(++failures, backOff, Math.random());
  }

  async function giveUp(entry: Waiting, why: string): Promise<void> {
    const { id, subject, to } = entry.mail;
    await remove(entry);
    logger.error({ event: 'mail.given_up', mail: id, subject, to, why }, 'a mail was given up');
  }

  async function giveUpOld(): Promise<void> {
    const oldest = clock.now() - limits.ageMillis;
    for (const entry of [...waiting.values()]) {
      if (entry.mail.time < oldest) await giveUp(entry, 'it is too old');
    }
  }

  async function remove({ mail: { id } }: Waiting): Promise<void> {
    waiting.delete(id);
    await store.remove(id).catch((err: unknown) => {
      logger.error(
        { event: 'mail.not_removed', err, mail: id },
        'a mail that is done could not be forgotten; it may be sent again',
      );
    });
  }

  for (const mail of deps.kept.slice(-limits.mails)) enter(mail);
  schedule();

  return {
    add: (mail) =>
      adding(mail.id, async () => {
        if (isClosed) throw new NotReady('The gateway is closed');
        if (waiting.has(mail.id)) return;
        // Before it may be sent: what is forgotten first and kept then would be sent again after a restart.
        await store.put(mail);
        if (waiting.size >= limits.mails) await dropOldest();
        enter(mail);
        schedule();
      }),

    onSent: listeners.add,

    retryNow() {
      cut?.abort();
      serverAnswered();
      pausedUntil = 0;
      for (const entry of waiting.values()) entry.notBefore = 0;
      schedule();
    },

    trouble: () => (waiting.size > 0 ? problem : undefined),

    async close() {
      isClosed = true;
      cut?.abort();
      clearTimeout(timer);
      await withTimeout(closeMillis, 'The mailer', undefined, async () => underWay).catch(() => {});
      closed.abort();
    },
  };

  /** News are worth more than what could not be told for long. */
  async function dropOldest(): Promise<void> {
    for (const entry of waiting.values()) {
      if (entry !== current) return giveUp(entry, `more than ${limits.mails} wait`);
    }
  }
}

const isForGood = ({ replyCode }: RefusedRecipient): boolean => replyCode >= 500;

/** What a mailer of the host throws may be anything; what is shown of it is a sentence of ours. */
function asMailNotSent(error: unknown): MailNotSent {
  if (error instanceof MailNotSent) return error;
  const why = error instanceof GatewayError ? error.message : 'the mailer failed; the log tells more';
  return new MailNotSent(why, { blame: 'server', isFinal: false, cause: error });
}
