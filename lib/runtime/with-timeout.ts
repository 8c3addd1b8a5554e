import type { CallOptions } from '../interfaces/call-options.js';
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
  // Not AbortSignal.any: it keeps every derived signal alive as long as a long-lived source.
  const onEnd = (end: (reason: unknown) => void) => {
    const abort = () => end(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    return () => signal?.removeEventListener('abort', abort);
  };
  return within(millis, what, onEnd, (limit) => work(limit.signal));
}

/**
 * The same for who is told of the end in another way: `onEnd` takes what is to be called with a reason when nobody waits any
 * more, and returns what takes that back. The signal is made when the work asks for it.
 */
export function within<T>(
  millis: number,
  what: string,
  onEnd: (end: (reason: unknown) => void) => () => void,
  work: (limit: Required<CallOptions>) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const limit = new Limit();
    let forget = () => {};
    const settle = () => {
      clearTimeout(timer);
      forget();
    };
    const giveUp = (error: unknown, reason?: unknown) => {
      settle();
      reject(error);
      limit.end(reason);
    };
    const timer = setTimeout(() => giveUp(new TimedOut(what)), millis);
    forget = onEnd((reason) => giveUp(reason, reason));
    if (limit.isOver) return;
    const begun = (async () => work(limit))();
    begun.then(
      (value) => {
        settle();
        resolve(value);
      },
      (error: unknown) => {
        settle();
        reject(error);
      },
    );
  });
}

/** This is a class because of its getter. */
class Limit implements Required<CallOptions> {
  #controller: AbortController | undefined;
  isOver = false;
  #reason: unknown;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.isOver) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  end(reason?: unknown): void {
    this.isOver = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}
