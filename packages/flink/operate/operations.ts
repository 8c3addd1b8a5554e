import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, NotFound, pauseAfter } from 'headgate/driver-kit';
import type { JobManagerClient } from '../rest/client.js';
import { OperationStatus } from '../rest/operation-shapes.js';
import { reasonOf } from '../rest/reasons.js';

/** Of one question after the other, milliseconds. */
const pauses = { first: 100, most: 2000 };

/** What became of something that the JobManager does by and by. */
export type OperationOutcome =
  | { readonly is: 'done'; readonly location: string | undefined }
  /** `trace`: in Flink's words. */
  | { readonly is: 'failed'; readonly reason: string; readonly trace: string }
  /** The JobManager does not know of it any more. */
  | { readonly is: 'unknown' }
  | { readonly is: 'late' };

/**
 * Asks for an operation until it has ended, at most `mostMillis` after it was ordered. A JobManager that can't be asked now may tell
 * later. Rejects only when the driver closes.
 */
export function readOperations(deps: {
  readonly client: Pick<JobManagerClient, 'get'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly mostMillis: number;
  readonly closing: AbortSignal;
}) {
  const { client, clock, mostMillis, closing } = deps;
  return async (path: string, orderedAt: number): Promise<OperationOutcome> => {
    for (let asked = 1; ; asked++) {
      await pause(pauseAfter(asked, pauses, Math.random()), undefined, { signal: closing });
      const told = await client.get(path, OperationStatus, closing).catch((error: unknown) => {
        closing.throwIfAborted();
        return error instanceof NotFound ? error : undefined;
      });
      if (told instanceof NotFound) return { is: 'unknown' };
      if (told && (told.operation?.['failure-cause'] || told.status.id === 'COMPLETED'))
        return outcomeOf(told.operation ?? {});
      if (clock.now() - orderedAt > mostMillis) return { is: 'late' };
    }
  };
}

function outcomeOf({
  location,
  'failure-cause': failure,
}: NonNullable<OperationStatus['operation']>): OperationOutcome {
  if (!failure) return { is: 'done', location: location ?? undefined };
  const trace = failure['stack-trace'] ?? '';
  return { is: 'failed', reason: reasonOf([trace]) ?? 'no reason is told', trace };
}
