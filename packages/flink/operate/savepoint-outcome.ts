import { setTimeout as pause } from 'node:timers/promises';
import { BadRequest, type Clock, NotFound, pauseAfter, TimedOut } from 'headgate/driver-kit';
import type { JobManagerClient } from '../rest/client.js';
import { SavepointStatus } from '../rest/operation-shapes.js';
import { reasonOf } from '../rest/reasons.js';

/** Of one question after the other, milliseconds. */
const pauses = { first: 100, most: 2000 };

/** Asks for a savepoint that was ordered until it is there: resolves its location. A JobManager that can't be asked now may tell later. */
export function readSavepoints(deps: {
  readonly client: Pick<JobManagerClient, 'get'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly mostMillis: number;
  readonly closing: AbortSignal;
}) {
  const { client, clock, mostMillis, closing } = deps;
  return async (
    jobId: string,
    { trigger, orderedAt }: { readonly trigger: string; readonly orderedAt: number },
  ): Promise<string> => {
    for (let asked = 1; ; asked++) {
      await pause(pauseAfter(asked, pauses, Math.random()), undefined, { signal: closing });
      const told = await client
        .get(`/jobs/${jobId}/savepoints/${trigger}`, SavepointStatus, closing)
        .catch((error: unknown) => {
          closing.throwIfAborted();
          return error instanceof NotFound ? error : undefined;
        });
      if (told instanceof NotFound) throw noSavepoint('the JobManager knows of no savepoint any more');
      const { location, 'failure-cause': failure } = told?.operation ?? {};
      if (location) return location;
      if (told && (failure || told.status.id === 'COMPLETED'))
        throw noSavepoint(reasonOf([failure?.['stack-trace'] ?? '']) ?? 'no reason is told');
      if (clock.now() - orderedAt > mostMillis) throw new TimedOut(`The savepoint of ${jobId}`);
    }
  };
}

const noSavepoint = (reason: string) =>
  new BadRequest('ENGINE_REFUSED', `The job is not stopped, for there is no savepoint: ${reason}`);
