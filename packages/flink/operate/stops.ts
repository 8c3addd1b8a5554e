import { setTimeout as pause } from 'node:timers/promises';
import { BadRequest, type Clock, type Logger, pauseAfter, withTimeout } from 'headgate/driver-kit';
import { hasEnded, statesOf } from '../jobs/states.js';
import type { JobManagerClient } from '../rest/client.js';
import { jobStatus } from '../rest/job-status.js';
import { Ordered } from '../rest/operation-shapes.js';
import type { JobRecords } from './records.js';
import { readSavepoints } from './savepoint-outcome.js';

/** Stops jobs with a savepoint, and keeps where that is. */
export interface Stops {
  /**
   * Resolves the location. Asked twice it is one stop. Rejects with `BadRequest` (`ENGINE_REFUSED`) when there is no savepoint, and
   * then the job runs on; with `TimedOut` when it takes longer than anybody waits, and then it is made all the same.
   */
  stop(jobId: string): Promise<string>;
  close(): void;
}

/** How often a job is asked for its end when its savepoint is there; pauses in milliseconds. */
const endings = 10;
const pauses = { first: 50, most: 500 };

export function createStops(deps: {
  readonly client: JobManagerClient;
  readonly records: JobRecords;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: { readonly stopMillis: number; readonly savepointMillis: number };
  readonly changed: (jobId: string) => void;
}): Stops {
  const { client, records, clock, logger, limits } = deps;
  const closing = new AbortController();
  const underWay = new Map<string, Promise<string>>();
  const savepointOf = readSavepoints({
    client,
    clock,
    mostMillis: limits.savepointMillis,
    closing: closing.signal,
  });

  async function order(jobId: string): Promise<string> {
    const path = `/jobs/${jobId}/stop`;
    const change = { method: 'POST', body: { drain: false } } as const;
    const { 'request-id': trigger } = await client.send(path, Ordered, change);
    const stop = { trigger, orderedAt: clock.now() };
    await keep(jobId, stop);
    return follow(jobId, stop);
  }

  const keep = (jobId: string, stop: KnownStop) => keepStop(records, logger, jobId, stop);

  async function follow(
    jobId: string,
    stop: { readonly trigger: string; readonly orderedAt: number },
  ): Promise<string> {
    const location = await savepointOf(jobId, stop).catch(async (error: unknown) => {
      if (error instanceof BadRequest) await keep(jobId, { ...stop, failure: error.message });
      throw error;
    });
    await keep(jobId, { ...stop, location });
    await untilEnded(jobId).catch(() => undefined);
    deps.changed(jobId);
    return location;
  }

  /** It is over as soon as its savepoint is there, or hardly later: who starts it again must not come too early. */
  async function untilEnded(jobId: string): Promise<void> {
    for (let asked = 1; asked <= endings; asked++) {
      if (hasEnded(statesOf(await jobStatus(client, jobId, closing.signal)))) return;
      await pause(pauseAfter(asked, pauses, Math.random()), undefined, { signal: closing.signal });
    }
  }

  function begin(jobId: string, run: () => Promise<string>): Promise<string> {
    const before = underWay.get(jobId);
    if (before) return before;
    const stopping = run().finally(() => underWay.delete(jobId));
    underWay.set(jobId, stopping);
    // Also when nobody waits any more.
    stopping.catch((err: unknown) => {
      if (!closing.signal.aborted)
        logger.warn({ event: 'application.stop_failed', err, appId: jobId }, 'A job was not stopped');
    });
    return stopping;
  }

  // Those that were under way when the gateway ended.
  for (const [jobId, { stop }] of records.all())
    if (stop && stop.location === undefined && stop.failure === undefined)
      void begin(jobId, () => follow(jobId, stop)).catch(() => {});

  return {
    stop: (jobId) => {
      const stopping = begin(jobId, () => order(jobId));
      const what = `The savepoint of ${jobId}, which is still being made,`;
      return withTimeout(limits.stopMillis, what, undefined, () => stopping);
    },
    close: () => closing.abort(),
  };
}

type KnownStop = NonNullable<NonNullable<ReturnType<JobRecords['get']>>['stop']>;

/** It is made, whether that can be kept or not. */
const keepStop = (records: JobRecords, logger: Logger, jobId: string, stop: KnownStop): Promise<void> =>
  records
    .put(jobId, { stop })
    .catch((err: unknown) =>
      logger.error(
        { event: 'application.savepoint_not_saved', err, appId: jobId, location: stop.location },
        'Where the savepoint of a job is can not be kept',
      ),
    );
