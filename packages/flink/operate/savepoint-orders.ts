import type { Clock, Logger } from 'headgate/driver-kit';
import { checkpointsOf } from '../jobs/checkpoints.js';
import type { JobManagerClient } from '../rest/client.js';
import { Ordered } from '../rest/operation-shapes.js';
import type { Resources } from '../rest/resources.js';
import { type OperationOutcome, readOperations } from './operations.js';
import type { KeptSavepoint } from './records.js';
import type { SavepointBook } from './savepoint-book.js';

interface SavepointOrder {
  readonly isOfStop: boolean;
  readonly path: string;
  readonly body: object;
  readonly about: Pick<KeptSavepoint, 'orderedBy' | 'targetDirectory' | 'formatType' | 'isDrained'>;
}

interface SavepointUnderWay {
  /** Of a stop: whether its inputs end first. */
  readonly isDrained: boolean;
  /** When the JobManager took the order and it is kept. */
  readonly taken: Promise<KeptSavepoint>;
  /** With what became of it. Rejects when it was not taken, or the driver closes. */
  readonly made: Promise<KeptSavepoint>;
}

/** Orders savepoints, of stops too, and follows each until it is known what became of it: over restarts of the gateway. */
export interface SavepointOrders {
  underWay(jobId: string, isOfStop: boolean): SavepointUnderWay | undefined;
  /** While one of that kind is under way it is that one. */
  order(jobId: string, order: SavepointOrder): SavepointUnderWay;
}

export function createSavepointOrders(deps: {
  readonly client: JobManagerClient;
  readonly resources: Resources;
  readonly book: SavepointBook;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly mostMillis: number;
  readonly closing: AbortSignal;
  readonly changed: (jobId: string) => void;
}): SavepointOrders {
  const { client, resources, book, clock, logger } = deps;
  const outcomeOf = readOperations(deps);
  const running = new Map<string, SavepointUnderWay>();
  const keyOf = (jobId: string, isOfStop: boolean) => `${jobId} ${isOfStop}`;

  /** What has begun before, so that it is not taken for the one that is ordered. */
  async function newestCheckpoint(jobId: string): Promise<number> {
    resources.checkpoints.forget(jobId);
    const { history } = await checkpointsOf(resources, jobId);
    return history.reduce((newest, { id }) => Math.max(newest, id), 0);
  }

  async function send(
    jobId: string,
    { isOfStop, path, body, about }: SavepointOrder,
  ): Promise<KeptSavepoint> {
    const after = await newestCheckpoint(jobId);
    const { 'request-id': trigger } = await client.send(path, Ordered, { method: 'POST', body });
    const savepoint = { ...about, trigger, orderedAt: clock.now(), isOfStop, after };
    await book.keep(jobId, savepoint);
    return savepoint;
  }

  async function follow(jobId: string, savepoint: KeptSavepoint): Promise<KeptSavepoint> {
    const outcome = await outcomeOf(`/jobs/${jobId}/savepoints/${savepoint.trigger}`, savepoint.orderedAt);
    const known = await knownOf({ resources, book }, jobId, { savepoint, outcome });
    const made = { ...savepoint, ...known, endedAt: clock.now() };
    await book.keep(jobId, made);
    const reason = made.failure ?? made.lost;
    if (reason !== undefined)
      logger.warn(
        { event: 'application.savepoint_failed', appId: jobId, reason },
        'A savepoint was not made, or nobody knows where it is',
      );
    resources.checkpoints.forget(jobId);
    deps.changed(jobId);
    return made;
  }

  function begin(
    jobId: string,
    { isOfStop, isDrained = false }: Pick<KeptSavepoint, 'isOfStop' | 'isDrained'>,
    taken: Promise<KeptSavepoint>,
  ): SavepointUnderWay {
    const key = keyOf(jobId, isOfStop);
    const made = taken
      .then((savepoint) => follow(jobId, savepoint))
      .finally(() => {
        if (running.get(key) === underWay) running.delete(key);
      });
    // Whoever ordered it hears of that.
    made.catch(() => {});
    const underWay = { isDrained, taken, made };
    running.set(key, underWay);
    return underWay;
  }

  // Those that were under way when the gateway ended.
  for (const [jobId, savepoint] of book.open()) void begin(jobId, savepoint, Promise.resolve(savepoint));

  const underWay = (jobId: string, isOfStop: boolean) => running.get(keyOf(jobId, isOfStop));
  return {
    underWay,
    order: (jobId, order) =>
      underWay(jobId, order.isOfStop) ??
      begin(jobId, { isOfStop: order.isOfStop, ...order.about }, send(jobId, order)),
  };
}

type Known = Pick<KeptSavepoint, 'location' | 'failure' | 'lost'>;
interface Places {
  readonly resources: Pick<Resources, 'checkpoints'>;
  readonly book: SavepointBook;
}

async function knownOf(
  places: Places,
  jobId: string,
  { savepoint, outcome }: { readonly savepoint: KeptSavepoint; readonly outcome: OperationOutcome },
): Promise<Known> {
  if (outcome.is === 'failed') return { failure: outcome.reason };
  if (outcome.is === 'late') return { lost: 'it took longer than it is waited for' };
  const location = outcome.is === 'done' ? outcome.location : await inHistory(places, jobId, savepoint);
  return location === undefined ? { lost: 'the JobManager does not know of it any more' } : { location };
}

/** The JobManager forgets an order minutes after it was carried out; its history is longer. */
async function inHistory(
  { resources, book }: Places,
  jobId: string,
  { after }: KeptSavepoint,
): Promise<string | undefined> {
  resources.checkpoints.forget(jobId);
  const told = await resources.checkpoints.get(jobId).catch(() => undefined);
  const others = new Set(book.of(jobId).map(({ location }) => location));
  const [found, ...more] = (told?.history ?? []).flatMap(
    ({ id, is_savepoint, status, external_path: path }) =>
      is_savepoint && status === 'COMPLETED' && id > after && path && !others.has(path) ? [path] : [],
  );
  return more.length === 0 ? found : undefined;
}
