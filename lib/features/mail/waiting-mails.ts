import type { Clock } from '../../interfaces/clock.js';
import type { Mail } from '../../interfaces/mailer.js';
import { type BackOff, pauseAfter } from '../../runtime/back-off.js';

export interface WaitingMail {
  mail: Mail;
  /** So many tries failed. */
  tries: number;
  /** It is not tried before this monotonic time. */
  notBefore: number;
  /** A part of the recipients has it. */
  isSent: boolean;
}

/** The mails that wait, and which of them is tried next. */
export interface WaitingMails {
  readonly size: number;
  has(id: string): boolean;
  enter(mail: Mail): void;
  remove(id: string): void;
  /** Oldest first. */
  all(): readonly WaitingMail[];
  /** What has been tried least comes first, then the oldest: a mail that the server chokes on holds up no other. */
  next(): WaitingMail | undefined;
  /** One more try has failed: it waits longer than before. */
  postpone(entry: WaitingMail): void;
  /** None waits for its time any more. */
  makeAllDue(): void;
}

export function createWaitingMails(backOff: BackOff, clock: Clock): WaitingMails {
  const waiting = new Map<string, WaitingMail>();

  const isDue = ({ notBefore }: WaitingMail): boolean => notBefore <= clock.monotonic();
  const comesBefore = (one: WaitingMail, other: WaitingMail): boolean =>
    isDue(one) && isDue(other) ? one.tries < other.tries : one.notBefore < other.notBefore;

  return {
    get size() {
      return waiting.size;
    },
    has: (id) => waiting.has(id),
    enter(mail) {
      waiting.set(mail.id, { mail, tries: 0, notBefore: 0, isSent: false });
    },
    remove(id) {
      waiting.delete(id);
    },
    all: () => [...waiting.values()],
    next() {
      let best: WaitingMail | undefined;
      for (const entry of waiting.values()) {
        if (!best || comesBefore(entry, best)) best = entry;
      }
      return best;
    },
    postpone(entry) {
      entry.tries++;
      entry.notBefore = clock.monotonic() + pauseAfter(entry.tries, backOff, Math.random());
    },
    makeAllDue() {
      for (const entry of waiting.values()) entry.notBefore = 0;
    },
  };
}
