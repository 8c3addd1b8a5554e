import { AssertionError } from 'node:assert/strict';
import type { RefuseAnswer } from 'headgate/driver-answers';

/** What every contract of something that is closed lets its user say. */
export interface Closing {
  /** Milliseconds for a `close`, and for an `open`. Default: 20,000. */
  readonly closeMillis?: number;
}

/** An answer of the wrong shape fails the test that asked for it, naming driver, call and place. */
export const refuseAnswer: RefuseAnswer = ({ driver, call, problem }) =>
  new AssertionError({ message: `${driver}: ${call}() gives a wrong answer: ${problem}` });

/** Does `work`; one that takes too long fails naming `what`, such as `close() of the storage`. */
export async function inTime<T>(
  what: string,
  { closeMillis = 20_000 }: Closing,
  work: () => T | Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    const message = `${what} has not ended within ${closeMillis} ms`;
    timer = setTimeout(() => reject(new AssertionError({ message })), closeMillis);
  });
  try {
    return await Promise.race([work(), tooLong]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs a test and closes what it used; of a test that fails and a close that fails too, both are told. */
export async function closingAfter(run: () => Promise<void>, close: () => Promise<void>): Promise<void> {
  const [tested] = await Promise.allSettled([run()]);
  const [closed] = await Promise.allSettled([close()]);
  const errors = [tested, closed].flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('; and then: '));
}
