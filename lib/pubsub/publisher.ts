import { TimedOut } from '../core/errors.js';
import type { Clock } from '../interfaces/clock.js';
import type { Logger } from '../interfaces/logger.js';
import type { Slices } from './slices.js';
import type { FoundTopic } from './topic-table.js';

export interface PublisherOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly slices: Slices;
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

export function createPublisher({ clock, logger, slices, readMs }: PublisherOptions): Publisher {
  return {
    start(name, { topic, service, params }, publish) {
      const { every = 1000 } = topic;
      if (topic.read === undefined) return () => {};
      const read = topic.read.bind(topic);
      // Topics of one thing are read together: their frames are joined into one write a socket.
      const phase = phaseOf(params === undefined ? name : JSON.stringify(params), every);
      /** Replaced after a reading that took too long, which it ended. */
      let reading = new AbortController();
      let deadline: NodeJS.Timeout | undefined;
      let timer: NodeJS.Timeout | undefined;
      let isStopped = false;
      let isFailing = false;

      async function tick(): Promise<void> {
        try {
          const data = await Promise.race([read(service, { params, signal: reading.signal }), tooLate()]);
          if (isFailing && !isStopped) logger.info({ topic: name }, 'The topic can be read again');
          isFailing = false;
          slices.run(() => publishOnce(data));
        } catch (error) {
          failed(error);
        } finally {
          clearTimeout(deadline);
        }
      }

      const tooLate = (): Promise<never> =>
        new Promise((_, reject) => {
          deadline = setTimeout(() => {
            const late = new TimedOut(`The source of ${name}`);
            reading.abort(late);
            reading = new AbortController();
            reject(late);
          }, readMs).unref();
        });

      /** Not when it was read: many readings may end in one turn of the event loop, and their texts take time. */
      function publishOnce(data: unknown): false {
        if (isStopped) return false;
        try {
          if (data !== undefined) publish(data);
          next();
        } catch (error) {
          failed(error);
        }
        return false;
      }

      function failed(error: unknown): void {
        if (isStopped) return;
        if (!isFailing) logger.warn({ topic: name, err: error }, 'The topic can not be read');
        isFailing = true;
        next();
      }

      function next(): void {
        timer = setTimeout(() => void tick(), untilNext(clock.monotonic(), every, phase)).unref();
      }

      // Many may subscribe in one turn, after a restart.
      slices.run(() => {
        if (!isStopped) void tick();
        return false;
      });
      return () => {
        isStopped = true;
        clearTimeout(timer);
        clearTimeout(deadline);
        reading.abort();
      };
    },
  };
}

/** An interval has so many moments: each that wakes a quiet process costs more than a reading does. */
const momentCount = 20;

/** Topics are spread over their interval, so that a thousand of them are not read at once. */
export function phaseOf(name: string, every: number): number {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = (Math.imul(hash, 31) + name.charCodeAt(i)) >>> 0;
  return ((hash % momentCount) * every) / momentCount;
}

/** Milliseconds to the next moment of this phase, the one after it when that is too near. */
export function untilNext(now: number, every: number, phase: number): number {
  const wait = (((phase - now) % every) + every) % every;
  return wait < every / 10 ? wait + every : wait;
}
