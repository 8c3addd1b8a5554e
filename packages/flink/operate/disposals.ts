import { BadRequest, type Clock, withTimeout } from 'headgate/driver-kit';
import type { JobManagerClient } from '../rest/client.js';
import { Ordered } from '../rest/operation-shapes.js';
import { readOperations } from './operations.js';

/** Has Flink delete savepoints, each once however often that is asked for. */
export interface Disposals {
  /**
   * Resolves when its files are gone, and `then` has. Rejects with `BadRequest` (`ENGINE_REFUSED`) when Flink can't delete it, with
   * `TimedOut` when that takes longer than anybody waits: it goes on.
   */
  dispose(location: string, then: () => Promise<void>): Promise<void>;
}

export function createDisposals(deps: {
  readonly client: JobManagerClient;
  readonly clock: Clock;
  readonly mostMillis: number;
  readonly closing: AbortSignal;
  readonly limits: { readonly disposalMillis: number };
}): Disposals {
  const { client, clock, limits } = deps;
  const outcomeOf = readOperations(deps);
  const underWay = new Map<string, Promise<void>>();

  async function disposed(location: string): Promise<void> {
    const order = { method: 'POST', body: { 'savepoint-path': location } } as const;
    const { 'request-id': trigger } = await client.send('/savepoint-disposal', Ordered, order);
    const outcome = await outcomeOf(`/savepoint-disposal/${trigger}`, clock.now());
    if (outcome.is === 'done' || (outcome.is === 'failed' && tellsOfNoFiles(outcome.trace))) return;
    const reason =
      outcome.is === 'failed' ? outcome.reason : 'the JobManager does not tell what became of that';
    throw new BadRequest('ENGINE_REFUSED', `The savepoint is not deleted: ${reason}`);
  }

  return {
    dispose(location, then) {
      const before = underWay.get(location);
      const deleting =
        before ??
        disposed(location)
          .then(then)
          .finally(() => underWay.delete(location));
      underWay.set(location, deleting);
      // Also when nobody waits any more.
      deleting.catch(() => {});
      const what = 'The deletion of the savepoint, which goes on,';
      return withTimeout(limits.disposalMillis, what, undefined, () => deleting);
    },
  };
}

const tellsOfNoFiles = (trace: string): boolean => /\bFileNotFoundException\b/.test(trace);
