import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import { pauseAfter } from '../../runtime/back-off.js';
import { sendReport } from './send.js';
import type { UsageTotals } from './usage-totals.js';

/** A report that was not taken is sent again after a minute, then after twice as long, up to this; for a day. */
const longestPause = 60 * 60 * 1000;

/** Sends the report of the period before this one until somebody takes it, with longer and longer pauses. */
interface ReportSender {
  /** Does nothing when somebody has it, or in a pause. Never rejects: failures are logged. */
  sendTo(url: string): Promise<void>;
}

export function createReportSender(deps: {
  readonly totals: Pick<UsageTotals, 'unsent' | 'sent'>;
  readonly report: () => Promise<object>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborted when nothing is sent any more. */
  readonly signal: AbortSignal;
}): ReportSender {
  const { totals, clock, logger, signal } = deps;
  let failures = 0;
  let pausedUntil = 0;

  return {
    async sendTo(url) {
      const previous = totals.unsent();
      if (!previous || clock.monotonic() < pausedUntil) return;
      try {
        await sendReport(new URL(url), await deps.report(), signal);
        failures = 0;
        await totals.sent(previous);
      } catch (err) {
        if (signal.aborted) return;
        failures++;
        pausedUntil = clock.monotonic() + pauseAfter(failures, { first: 60_000, most: longestPause }, 0);
        logger.warn(
          { event: 'usage.report_failed', err },
          'the usage report could not be sent; it is tried again',
        );
      }
    },
  };
}
