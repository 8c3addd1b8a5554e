import type { Clock } from '../interfaces/clock.js';
import type { Logger } from '../interfaces/logger.js';
import { TimedOut } from '../model/errors.js';
import type { StepScheduler } from '../runtime/step-scheduler.js';
import { createFinalListings, type ListingReading } from './final-listings.js';
import { createTicker } from './ticker.js';
import type { FoundTopic } from './topic-table.js';

interface PublisherOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly slices: StepScheduler;
  /** Longest time that one reading may take, in milliseconds. */
  readonly readMs: number;
}

type Publish = (reading: Omit<ListingReading, 'told'>) => void;

/** Reads topics again and again. */
export interface Publisher {
  /**
   * Reads at once, then every `topic.every` ms until the returned function is called. A slow reading delays only its
   * own next one; a failing one is one log line until it works again. Topics without `read` are left alone.
   */
  start(name: string, found: FoundTopic, publish: Publish): () => void;
}

export function createPublisher(options: PublisherOptions): Publisher {
  const { clock, logger, slices, readMs } = options;
  const beats = createTicker(options);
  const finalListings = createFinalListings(options);
  return {
    start(name, found, publish) {
      const { every = 1000, read } = found.topic;
      if (read === undefined) return () => {};
      /** Replaced after a reading that took too long, which it ended. */
      let control = new AbortController();
      let deadline: NodeJS.Timeout | undefined;
      /** Of a reading, until it is published. */
      let isUnderWay = false;
      /** A beat that comes right after a first reading is left out. */
      let notBefore = 0;
      let isStopped = false;
      let isFailing = false;

      function tick(): void {
        const now = clock.monotonic();
        if (isStopped || isUnderWay || now < notBefore) return;
        isUnderWay = true;
        notBefore = now + every / 10;
        void readOnce();
      }

      async function readOnce(): Promise<void> {
        try {
          const reading = await Promise.race([finalListings.read(name, found, control.signal), tooLate()]);
          if (isFailing && !isStopped)
            logger.info({ event: 'hub.topic_recovered', topic: name }, 'The topic can be read again');
          isFailing = false;
          // Not now: many readings may end in one turn of the event loop, and their texts take time.
          slices.run(() => publishOnce(reading));
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
            control.abort(late);
            control = new AbortController();
            reject(late);
          }, readMs).unref();
        });

      function publishOnce(reading: ListingReading): false {
        if (isStopped) return false;
        try {
          if (reading.data !== undefined) publish(reading);
          reading.told();
          isUnderWay = false;
        } catch (error) {
          failed(error);
        }
        return false;
      }

      function failed(error: unknown): void {
        if (isStopped) return;
        if (!isFailing)
          logger.warn({ event: 'hub.topic_failed', topic: name, err: error }, 'The topic can not be read');
        isFailing = true;
        isUnderWay = false;
      }

      // Many may subscribe in one turn, after a restart.
      slices.run(() => {
        tick();
        return false;
      });
      const leave = beats.join(every, tick);
      return () => {
        isStopped = true;
        leave();
        clearTimeout(deadline);
        control.abort();
      };
    },
  };
}
