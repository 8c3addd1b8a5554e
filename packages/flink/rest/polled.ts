import { type Clock, setNewest } from 'headgate/driver-kit';
import type { ZodType } from 'zod';
import type { JobManagerClient } from './client.js';

/** What the JobManager says of one kind of thing, asked once in a beat for all who want it, however many those are. */
export interface Polled<T, Ids extends readonly string[] = []> {
  /** Asked at most as long ago as it is good for, a beat by default; a failure is shared for one beat. */
  get(...ids: Ids): Promise<T>;
  /** The same with the time at which it was asked, epoch milliseconds. */
  seen(...ids: Ids): Promise<Seen<T>>;
  /** Something was changed: it is asked anew. */
  forget(...ids: Ids): void;
}

export interface Seen<T> {
  readonly value: T;
  readonly at: number;
}

export interface Polling {
  readonly client: JobManagerClient;
  readonly clock: Clock;
  /** How long a beat is. */
  readonly pollMillis: number;
  /** Answers of one kind that are kept. */
  readonly answers: number;
}

/** For how long an answer is good that is asked for now (monotonic), milliseconds. */
export type GoodFor = (askedAt: number) => number;

interface Reading<T> {
  readonly startedAt: number;
  readonly value: Promise<Seen<T>>;
  isPending: boolean;
  goodMillis: number;
}

export function polled<T, Ids extends readonly string[]>(
  { client, clock, pollMillis, answers }: Polling,
  shape: ZodType<T>,
  pathOf: (...ids: Ids) => string,
  /** More than a beat for what changes rarely. */
  goodFor: GoodFor = () => pollMillis,
): Polled<T, Ids> {
  const readings = new Map<string, Reading<T>>();

  function seen(...ids: Ids): Promise<Seen<T>> {
    const path = pathOf(...ids);
    const last = readings.get(path);
    if (last && (last.isPending || clock.monotonic() - last.startedAt < last.goodMillis)) return last.value;
    const at = clock.now();
    const startedAt = clock.monotonic();
    const reading: Reading<T> = {
      startedAt,
      // Shared by many: that one of them hangs up must not end it. The client bounds its time.
      value: client.get(path, shape).then((value) => ({ value, at })),
      isPending: true,
      goodMillis: goodFor(startedAt),
    };
    setNewest(readings, path, reading, answers);
    reading.value
      .catch(() => {
        reading.goodMillis = pollMillis;
      })
      .finally(() => {
        reading.isPending = false;
      });
    return reading.value;
  }

  return {
    seen,
    get: async (...ids) => (await seen(...ids)).value,
    forget(...ids) {
      readings.delete(pathOf(...ids));
    },
  };
}
