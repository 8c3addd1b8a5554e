import type { Clock } from '../../interfaces/clock.js';
import type { ClusterMetrics } from '../../model/cluster.js';
import type { UsageTotals } from './usage-totals.js';

/** Measures the cluster, and for how long the gateway was up between two samples. */
interface Sampler {
  /** Adds a sample. Rejects when the cluster does not tell: there is one sample less. */
  measure(): Promise<void>;
  /** The time until the next sample does not count. */
  pause(): void;
}

export function createSampler(deps: {
  readonly totals: Pick<UsageTotals, 'add'>;
  readonly metrics: () => Promise<ClusterMetrics>;
  readonly clock: Pick<Clock, 'monotonic'>;
}): Sampler {
  let sampledAt: number | undefined;
  return {
    async measure() {
      const now = deps.clock.monotonic();
      // A sample that failed is part of the time before the next one.
      sampledAt ??= now;
      const upMillis = now - sampledAt;
      const metrics = await deps.metrics();
      sampledAt = now;
      await deps.totals.add(metrics, upMillis);
    },
    pause() {
      sampledAt = undefined;
    },
  };
}
