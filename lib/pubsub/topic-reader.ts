import type { Clock } from '../interfaces/clock.js';
import type { Logger } from '../interfaces/logger.js';
import { TimedOut } from '../model/errors.js';
import type { StepScheduler } from '../runtime/step-scheduler.js';
import type { ListingReading } from './final-listings.js';

export interface TopicReaderOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly slices: StepScheduler;
  /** Longest time that one reading may take, in milliseconds. */
  readonly readMs: number;
}

/** One topic that is read again and again: one reading at a time, each with a deadline. */
interface ReadTopic {
  readonly name: string;
  readonly every: number;
  read(signal: AbortSignal): Promise<ListingReading>;
  publish(reading: ListingReading): void;
}

interface TopicReader {
  /** Reads, unless a reading is under way or has just begun. */
  tick(): void;
  stop(): void;
}

export function createTopicReader(topic: ReadTopic, options: TopicReaderOptions): TopicReader {
  const { clock, slices, readMs } = options;
  const outcome = createOutcomeLog(topic.name, options.logger);
  const limited = createDeadline(readMs, `The source of ${topic.name}`);
  /** Of a reading, until it is published. */
  let isUnderWay = false;
  /** A beat that comes right after a first reading is left out. */
  let notBefore = 0;
  let isStopped = false;

  async function readOnce(): Promise<void> {
    try {
      const reading = await limited.run((signal) => topic.read(signal));
      if (!isStopped) outcome.succeeded();
      // Not now: many readings may end in one turn of the event loop, and their texts take time.
      slices.run(() => publishOnce(reading));
    } catch (error) {
      failed(error);
    }
  }

  function publishOnce(reading: ListingReading): false {
    if (isStopped) return false;
    try {
      if (reading.data !== undefined) topic.publish(reading);
      reading.told();
      isUnderWay = false;
    } catch (error) {
      failed(error);
    }
    return false;
  }

  function failed(error: unknown): void {
    if (isStopped) return;
    outcome.failed(error);
    isUnderWay = false;
  }

  return {
    tick() {
      const now = clock.monotonic();
      if (isStopped || isUnderWay || now < notBefore) return;
      isUnderWay = true;
      notBefore = now + topic.every / 10;
      void readOnce();
    },
    stop() {
      isStopped = true;
      limited.stop();
    },
  };
}

/** A line when the topic can't be read any more, and one when it can again. */
function createOutcomeLog(name: string, logger: Logger): { succeeded(): void; failed(error: unknown): void } {
  let isFailing = false;
  return {
    succeeded() {
      if (isFailing)
        logger.info({ event: 'hub.topic_recovered', topic: name }, 'The topic can be read again');
      isFailing = false;
    },
    failed(error) {
      if (!isFailing)
        logger.warn({ event: 'hub.topic_failed', topic: name, err: error }, 'The topic can not be read');
      isFailing = true;
    },
  };
}

interface Deadline {
  run<T>(read: (signal: AbortSignal) => Promise<T>): Promise<T>;
  stop(): void;
}

/** Ends readings that take too long. Not `withTimeout`: its timer would keep the host's process alive. */
function createDeadline(millis: number, what: string): Deadline {
  /** Replaced after a reading that took too long, which it ended. */
  let control = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const tooLate = (): Promise<never> =>
    new Promise((_, reject) => {
      timer = setTimeout(() => {
        const late = new TimedOut(what);
        control.abort(late);
        control = new AbortController();
        reject(late);
      }, millis).unref();
    });
  return {
    async run(read) {
      try {
        return await Promise.race([read(control.signal), tooLate()]);
      } finally {
        clearTimeout(timer);
      }
    },
    stop() {
      clearTimeout(timer);
      control.abort();
    },
  };
}
