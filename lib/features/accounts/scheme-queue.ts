import type { LoginScheme, SchemeCall } from '../../interfaces/login-scheme.js';
import { ClientHungUp, NotReady, Unreachable } from '../../model/errors.js';
import { fairQueue, type QueuePlace } from '../../runtime/fair-queue.js';
import { withTimeout } from '../../runtime/with-timeout.js';

/** Questions to a login scheme: so many at once, each within its time. */
export interface SchemeQueue {
  /**
   * Rejects with `NotReady` when too many wait, with `ClientHungUp` when who asks has gone, and with `Unreachable` whatever
   * else keeps the scheme from answering: it is the same to who wants to log in.
   */
  ask<T>(
    scheme: Pick<LoginScheme, 'name'>,
    place: QueuePlace,
    question: (call: SchemeCall) => Promise<T> | undefined,
  ): Promise<T | undefined>;
  /** The scheme whose last answer did not come; `undefined` once it answers again. */
  silent(): string | undefined;
  /** A new start, maybe with another scheme, which has not been asked yet. */
  begin(): void;
}

/** Logins under way at a directory. */
const loginsAtOnce = 64;
/** Of them, of one address: many may share it, and a directory that is slow at refusing must have time for others. */
const loginsAtOnceOfOne = 8;
/** Logins that wait for their turn at a directory; more are answered with 503. */
const maxWaiting = 200;
const retryAfterSeconds = 5;

export function createSchemeQueue(timeoutMillis: number): SchemeQueue {
  const inTurn = fairQueue(
    {
      running: loginsAtOnce,
      runningOfOne: loginsAtOnceOfOne,
      waiting: maxWaiting,
      waitMillis: timeoutMillis,
    },
    () => new NotReady('Too many logins are under way; try again in a moment', retryAfterSeconds),
  );
  let silent: string | undefined;

  return {
    ask: ({ name }, place, question) =>
      inTurn(place, async () => {
        try {
          const told = await withTimeout(timeoutMillis, name, place.signal, async (signal) =>
            question({ signal }),
          );
          silent = undefined;
          return told;
        } catch (error) {
          if (place.signal?.aborted) throw new ClientHungUp(error);
          silent = name;
          throw new Unreachable(`Who answers for ${name} logins`, error);
        }
      }),
    silent: () => silent,
    begin() {
      silent = undefined;
    },
  };
}
