import { TimedOut } from './errors.js';

/**
 * What `work` gives, or `TimedOut` naming `what` after `millis`, also when the work ignores its signal. That signal
 * aborts at the deadline and with `signal`.
 */
export async function within<T>(
  millis: number,
  what: string,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const abort = () => limit.abort(signal?.reason);
  if (signal?.aborted) abort();
  // Not AbortSignal.any: it keeps every derived signal alive as long as a long-lived source.
  signal?.addEventListener('abort', abort, { once: true });
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new TimedOut(what));
      limit.abort();
    }, millis);
  });
  try {
    return await Promise.race([work(limit.signal), expired]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
