import { TimedOut } from '../model/errors.js';

/**
 * What `work` gives, or `TimedOut` naming `what` after `millis`, or the reason of `signal` when that aborts: also when
 * the work ignores its own signal, which aborts with both. What it gives afterwards is lost.
 */
export async function withTimeout<T>(
  millis: number,
  what: string,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const limit = new AbortController();
  let giveUp = (_reason: unknown): void => {};
  const over = new Promise<never>((_resolve, reject) => {
    giveUp = reject;
  });
  const timer = setTimeout(() => {
    giveUp(new TimedOut(what));
    limit.abort();
  }, millis);
  const abort = () => {
    giveUp(signal?.reason);
    limit.abort(signal?.reason);
  };
  // Not AbortSignal.any: it keeps every derived signal alive as long as a long-lived source.
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work(limit.signal), over]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
