import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import type { ClusterMetrics } from '../../model/cluster.js';
import { collection } from '../../storage/collection.js';
import { type Aggregate, sampled, turned, Usage, usageFrom } from './periods.js';
import type { Period } from './schema.js';

/** What was measured so far, in memory and on the disk. */
export interface UsageTotals {
  /** As of now; `undefined`: there is no such period yet. */
  of(period: Period): Aggregate | undefined;
  /** Adds a sample; `upMillis` have passed since the one before. Rejects when it can't be kept: then it counts until the end. */
  add(metrics: ClusterMetrics, upMillis: number): Promise<void>;
  /** The period before this one, when nobody has got it yet. */
  unsent(): Aggregate | undefined;
  /** Somebody has got it. */
  sent(previous: Aggregate): Promise<void>;
  /** Resolves when the last write has ended, however. */
  written(): Promise<unknown>;
}

export async function openUsageTotals(deps: {
  readonly documents: DocumentStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Epoch milliseconds. */
  readonly installTime: number;
}): Promise<UsageTotals> {
  const { clock, logger } = deps;
  const kept = collection(deps.documents, 'usage', Usage);
  const stored = await kept.get('usage').catch((err: unknown) => {
    logger.error(
      { event: 'usage.totals_unreadable', err },
      'the usage so far can not be read: it is measured from now on',
    );
    return undefined;
  });
  let usage = stored?.value ?? usageFrom(deps.installTime);
  let writing: Promise<unknown> = Promise.resolve();

  async function keep(): Promise<void> {
    const write = kept.put('usage', usage);
    writing = write.catch(() => {});
    await write;
  }

  return {
    of: (period) => turned(usage, clock.now())[period],
    async add(metrics, upMillis) {
      usage = sampled(usage, { time: clock.now(), upMillis, metrics });
      await keep();
    },
    unsent: () => (usage.isUnsent ? usage.previous : undefined),
    async sent(previous) {
      if (usage.previous === previous) usage = { ...usage, isUnsent: false };
      await keep();
    },
    written: () => writing,
  };
}
