import { TimedOut } from '../core/errors.js';
import type { Clock } from '../interfaces/clock.js';
import type { Logger } from '../interfaces/logger.js';
import type { FoundTopic } from './topic-table.js';

export interface PublisherOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Longest time that one reading may take, in milliseconds. */
  readonly readMs: number;
}

/** Reads one topic again and again. */
export interface Publisher {
  /**
   * Reads at once, then every `topic.every` ms until the returned function is called. A slow reading delays only its
   * own next one; a failing one is one log line until it works again. Topics without `read` are left alone.
   */
  start(name: string, found: FoundTopic, publish: (data: unknown) => void): () => void;
}

export function createPublisher({ clock, logger, readMs }: PublisherOptions): Publisher {
  return {
    start(name, { topic, service, params }, publish) {
      const { every = 1000 } = topic;
      const read = topic.read?.bind(topic);
      if (read === undefined) return () => {};
      const stopped = new AbortController();
      const phase = phaseOf(name, every);
      let timer: NodeJS.Timeout | undefined;
      let isFailing = false;

      const tick = async (): Promise<void> => {
        try {
          const data = await within(readMs, name, stopped.signal, (signal) =>
            read(service, { params, signal }),
          );
          if (stopped.signal.aborted) return;
          if (isFailing) logger.info({ topic: name }, 'The topic can be read again');
          isFailing = false;
          if (data !== undefined) publish(data);
        } catch (error) {
          if (stopped.signal.aborted) return;
          if (!isFailing) logger.warn({ topic: name, err: error }, 'The topic can not be read');
          isFailing = true;
        }
        timer = setTimeout(() => void tick(), untilNext(clock.monotonic(), every, phase)).unref();
      };
      void tick();
      return () => {
        stopped.abort();
        clearTimeout(timer);
      };
    },
  };
}

/** Topics are spread over their interval, so that a thousand of them are not read in one turn. */
export function phaseOf(name: string, every: number): number {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = (Math.imul(hash, 31) + name.charCodeAt(i)) >>> 0;
  return hash % every;
}

/** Milliseconds to the next moment of this phase, the one after it when that is too near. */
export function untilNext(now: number, every: number, phase: number): number {
  const wait = (((phase - now) % every) + every) % every;
  return wait < every / 10 ? wait + every : wait;
}

/** Ends the waiting, and tells the reader by its signal, when it is stopped or takes too long. */
async function within<T>(
  ms: number,
  name: string,
  stopped: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const end = () => ended.abort(stopped.reason);
  const cut = new Promise<never>((_, reject) => {
    ended.signal.addEventListener('abort', () => reject(ended.signal.reason), { once: true });
    timer = setTimeout(() => ended.abort(new TimedOut(`The source of ${name}`)), ms).unref();
  });
  stopped.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([work(ended.signal), cut]);
  } finally {
    clearTimeout(timer);
    stopped.removeEventListener('abort', end);
  }
}
