import type { Clock } from '../../../interfaces/clock.js';
import type { Logger } from '../../../interfaces/logger.js';
import type { Life } from '../kinds/kind.js';
import type { ServiceLimits } from '../options.js';
import { noLife } from './effects.js';
import type { ServiceLifecycle } from './service-lifecycle.js';
import type { ServiceStatus } from './service-status.js';
import { verdictOn } from './verdict.js';

/** What looks at a service tell of it. */
interface ServiceHealth {
  /** Epoch milliseconds of the last look that succeeded; `undefined` while looks succeed. */
  readonly unseenSince: number | undefined;
  /** Takes what was seen of it by a look that began when `stamp` was this. `unknown`: nobody could be asked. */
  observe(seen: Life | undefined | 'unknown', stamp: number): void;
}

export function createServiceHealth(
  name: string,
  status: ServiceStatus,
  lifecycle: Pick<ServiceLifecycle, 'isUnderWay' | 'report' | 'forgetFailures'>,
  deps: { readonly limits: ServiceLimits; readonly clock: Clock; readonly logger: Logger },
): ServiceHealth {
  const { limits, clock, logger } = deps;
  let lastSeen = clock.now();
  let isUnseen = false;

  /** It ran, or was about to, and does no more. */
  function ended(reason: string) {
    const { life } = status;
    if (life && clock.now() - life.startedTime >= limits.retryMostMillis) lifecycle.forgetFailures();
    logger.warn({ event: 'service.ended', service: name, reason }, 'a service ended by itself');
    status.life = undefined;
    lifecycle.report('ended', { ...noLife, failure: reason });
  }

  return {
    get unseenSince() {
      return isUnseen ? lastSeen : undefined;
    },

    observe(seen, stamp) {
      if (status.isOver) return;
      isUnseen = seen === 'unknown';
      if (seen === 'unknown') return;
      const now = clock.now();
      lastSeen = now;
      // What has changed since the look began is newer than what it saw.
      if (stamp !== status.stamp || lifecycle.isUnderWay) return;
      const verdict = verdictOn(status.stored, seen, { now, readyMillis: limits.readyMillis });
      if (verdict.is === 'irrelevant') return;
      if (verdict.is !== 'ended') status.life = seen;
      if (verdict.is === 'ready') lifecycle.report('healthy');
      else if (verdict.is !== 'alive') ended(verdict.reason);
    },
  };
}
