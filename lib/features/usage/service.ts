import type { Clock } from '../../interfaces/clock.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import type { ClusterMetrics } from '../../model/cluster.js';
import { NotFound } from '../../model/errors.js';
import { createResourceManagerCalls } from '../../runtime/resource-manager-calls.js';
import type { LicenseService } from '../licenses/service.js';
import type { PropertyService } from '../properties/service.js';
import { usageMetricsOf } from './periods.js';
import { createReportSender } from './report-sender.js';
import { createSampler } from './sampler.js';
import type { Period, PhoneHomeReport } from './schema.js';
import { reportWith } from './usage-report.js';
import { openUsageTotals } from './usage-totals.js';

export interface UsageService {
  /** Rejects with `NotFound` while there is no such period yet. */
  report(period: Period, signal: AbortSignal): Promise<PhoneHomeReport>;
  /** Gives `true` or `false`. */
  isEnabled(): string;
  setEnabled(value: string): Promise<void>;
  /** Goes back to the default, also when it was that already. */
  unsetEnabled(): Promise<void>;
  /** Begins to measure; the cluster is open. */
  open(): void;
  /** Idempotent. Keeps what was measured. */
  close(): Promise<void>;
}

interface UsageDeps {
  readonly documents: DocumentStore;
  readonly cluster: ClusterDriver;
  readonly properties: Pick<PropertyService, 'value' | 'put' | 'remove'>;
  readonly licenses: Pick<LicenseService, 'list' | 'current'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly platformVersion: string;
  /** Epoch milliseconds. */
  readonly installTime: number;
  /** The cluster has so many milliseconds for an answer. */
  readonly timeoutMillis: number;
  /** So many milliseconds are between two samples. Default: a minute. */
  readonly everyMillis?: number;
}

const enable = 'platform.phoneHome.enable';

export async function createUsageService(deps: UsageDeps): Promise<UsageService> {
  const { cluster, properties, clock, logger, everyMillis = 60_000 } = deps;
  const askManager = createResourceManagerCalls(cluster.resourceManager, deps.timeoutMillis);
  const closing = new AbortController();
  const { signal } = closing;
  const totals = await openUsageTotals(deps);
  const sampler = createSampler({ totals, metrics: metricsNow, clock });
  const sender = createReportSender({
    totals,
    report: () => reportOf('previous', signal),
    clock,
    logger,
    signal,
  });
  let timer: NodeJS.Timeout | undefined;
  let first: Promise<void> | undefined;

  async function metricsNow(): Promise<ClusterMetrics> {
    const metrics = await askManager(signal, (manager, options) => manager.metrics(options));
    signal.throwIfAborted();
    return metrics;
  }

  async function reportOf(period: Period, asked: AbortSignal): Promise<PhoneHomeReport> {
    const aggregate = totals.of(period);
    if (!aggregate) throw new NotFound('complete usage period', period, ['total', 'current']);
    return reportWith(usageMetricsOf(period, aggregate), { ...deps, askManager }, asked);
  }

  const isEnabled = () => properties.value(enable) ?? 'true';

  async function measureAndSend(): Promise<void> {
    if (isEnabled() === 'true') {
      await sampler.measure().catch((err: unknown) => {
        if (!signal.aborted)
          logger.debug({ event: 'usage.measurement_failed', err }, 'the usage could not be measured');
      });
    } else sampler.pause();
    const url = properties.value('platform.phoneHome.url');
    if (url !== undefined && isEnabled() === 'true') await sender.sendTo(url);
    if (!signal.aborted) timer = setTimeout(measureAndSend, everyMillis).unref();
  }

  return {
    async report(period, asked) {
      await first;
      return reportOf(period, asked);
    },
    isEnabled,
    setEnabled: (value) => properties.put(enable, { value }),
    unsetEnabled: () => properties.remove(enable),
    open() {
      first ??= measureAndSend();
    },
    async close() {
      closing.abort();
      clearTimeout(timer);
      // Not for the cluster, which may hang.
      await totals.written();
    },
  };
}
