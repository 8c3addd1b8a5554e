import type { Clock } from '../../interfaces/clock.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { NotFound } from '../../model/errors.js';
import { pauseAfter } from '../../runtime/back-off.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import { collection } from '../../storage/collection.js';
import type { LicenseService } from '../licenses/service.js';
import type { PropertyService } from '../properties/service.js';
import { sampled, turned, Usage, usageFrom, usageMetricsOf } from './periods.js';
import type { Period, PhoneHomeReport } from './schema.js';
import { sendReport } from './send.js';
import { type AskCluster, reportWith } from './usage-report.js';

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
/** A report that was not taken is sent again after a minute, then after twice as long, up to this; for a day. */
const longestPause = 60 * 60 * 1000;

export async function createUsageService(deps: UsageDeps): Promise<UsageService> {
  const { cluster, properties, clock, logger, everyMillis = 60_000 } = deps;
  const kept = collection(deps.documents, 'usage', Usage);
  const closing = new AbortController();
  let usage = (await kept.get('usage').catch(afresh))?.value ?? usageFrom(deps.installTime);
  let sampledAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let first: Promise<void> | undefined;
  let writing: Promise<unknown> = Promise.resolve();
  let failedSends = 0;
  let sendAgainAt = 0;

  function afresh(err: unknown): undefined {
    logger.error(
      { event: 'usage.totals_unreadable', err },
      'the usage so far can not be read: it is measured from now on',
    );
    return undefined;
  }

  const ask: AskCluster = (signal, question) =>
    withTimeout(deps.timeoutMillis, 'The resource manager', signal, (limited) =>
      question({ signal: limited }),
    );

  const isEnabled = () => properties.value(enable) ?? 'true';

  async function keep(): Promise<void> {
    const write = kept.put('usage', usage);
    writing = write.catch(() => {});
    await write;
  }

  async function measure(): Promise<void> {
    if (isEnabled() !== 'true') {
      sampledAt = undefined;
      return;
    }
    const now = clock.monotonic();
    // A sample that failed is part of the time before the next one.
    sampledAt ??= now;
    const upMillis = now - sampledAt;
    const metrics = await ask(closing.signal, (options) => cluster.resourceManager.metrics(options));
    closing.signal.throwIfAborted();
    sampledAt = now;
    usage = sampled(usage, { time: clock.now(), upMillis, metrics });
    await keep();
  }

  async function send(): Promise<void> {
    const url = properties.value('platform.phoneHome.url');
    if (url === undefined || isEnabled() !== 'true') return;
    if (!usage.isUnsent || clock.monotonic() < sendAgainAt) return;
    const { previous } = usage;
    try {
      await sendReport(new URL(url), await reportOf('previous', closing.signal), closing.signal);
      failedSends = 0;
      if (usage.previous === previous) usage = { ...usage, isUnsent: false };
      await keep();
    } catch (err) {
      if (closing.signal.aborted) return;
      failedSends++;
      sendAgainAt = clock.monotonic() + pauseAfter(failedSends, { first: 60_000, most: longestPause }, 0);
      logger.warn(
        { event: 'usage.report_failed', err },
        'the usage report could not be sent; it is tried again',
      );
    }
  }

  async function measureAndSend(): Promise<void> {
    try {
      await measure();
    } catch (err) {
      // Unknown is no zero: there is one sample less.
      if (!closing.signal.aborted)
        logger.debug({ event: 'usage.measurement_failed', err }, 'the usage could not be measured');
    }
    await send();
    if (!closing.signal.aborted) timer = setTimeout(measureAndSend, everyMillis).unref();
  }

  async function reportOf(period: Period, signal: AbortSignal): Promise<PhoneHomeReport> {
    const aggregate = turned(usage, clock.now())[period];
    if (!aggregate) throw new NotFound('complete usage period', period, ['total', 'current']);
    return reportWith(usageMetricsOf(period, aggregate), { ...deps, ask }, signal);
  }

  return {
    async report(period, signal) {
      await first;
      return reportOf(period, signal);
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
      await writing;
    },
  };
}
