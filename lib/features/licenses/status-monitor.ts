import type { Logger } from '../../interfaces/logger.js';
import { type LicenseView, warningsOf } from './warnings.js';

/** Looks at the license again and again, and logs once when its state changes. */
export function monitorStatus(
  view: () => Promise<LicenseView>,
  everyMillis: number,
  logger: Logger,
): { close(): void } {
  let told = '';

  async function look(): Promise<void> {
    const seen = await view();
    const { state } = seen.status;
    if (state === told) return;
    told = state;
    const [warning] = warningsOf(seen);
    const fields = { licenseId: seen.terms?.id, state };
    if (warning) {
      const { key, sentence } = warning;
      logger.warn({ event: 'license.warning', ...fields, key, sentence }, 'the license needs attention');
    } else logger.info({ event: 'license.valid', ...fields }, 'the license is valid');
  }

  const timer = setInterval(() => {
    look().catch((err) =>
      logger.error({ event: 'license.check_failed', err }, 'the license can not be looked after'),
    );
  }, everyMillis);
  timer.unref();
  return { close: () => clearInterval(timer) };
}
