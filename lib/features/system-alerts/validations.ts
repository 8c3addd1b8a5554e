import type { Clock } from '../../interfaces/clock.js';
import { TooManyRequests } from '../../model/errors.js';
import { queueingSemaphore } from '../../runtime/semaphore.js';

/** Whoever may see alerts may try scripts: that must neither hold up the alerts themselves nor flood anybody with mails. */
interface Validations {
  /** One piece of a user at a time. Rejects with `TooManyRequests`, and with the signal's reason. */
  run<T>(userName: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Throws `TooManyRequests` when the user has sent as many as may be sent in an hour. */
  countMail(userName: string): void;
}

/** A round of alerts waits for a step of each that is running. */
const size = { permits: 2, queue: 10 };
const mailsPerHour = 20;
const hour = 60 * 60_000;

export function createValidations(clock: Clock): Validations {
  const users = new Set<string>();
  const inTurn = queueingSemaphore(
    size,
    () => new TooManyRequests('Too many scripts are being tried; try again', 5),
  );
  const mails = new Map<string, { readonly since: number; count: number }>();

  return {
    async run(userName, signal, work) {
      if (users.has(userName)) {
        throw new TooManyRequests('A script of yours is being tried already; wait for its answer', 2);
      }
      users.add(userName);
      try {
        return await inTurn(work, signal);
      } finally {
        users.delete(userName);
      }
    },

    countMail(userName) {
      const now = clock.monotonic();
      for (const [name, { since }] of mails) if (now - since >= hour) mails.delete(name);
      const sent = mails.get(userName) ?? { since: now, count: 0 };
      if (sent.count >= mailsPerHour) {
        const seconds = Math.ceil((sent.since + hour - now) / 1000);
        throw new TooManyRequests(`You have sent ${mailsPerHour} test mails in this hour`, seconds);
      }
      sent.count++;
      mails.set(userName, sent);
    },
  };
}
