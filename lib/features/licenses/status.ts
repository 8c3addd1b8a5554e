import type { LicenseTerms } from './terms.js';

/**
 * The state of a license at a moment:
 *
 * - `missing`: there is none
 * - `valid`: in time, and within the memory that it allows
 * - `grace`: applications use more memory than is allowed, not yet for longer than the grace period
 * - `violation`: for longer than that
 * - `expired`: its time is over, whatever the memory
 */
type LicenseState = 'missing' | 'valid' | 'grace' | 'violation' | 'expired';

export interface LicenseStatus {
  readonly state: LicenseState;
  /** Nothing new is started or built: `docs/decisions.md`, What a lock refuses. */
  readonly isLocked: boolean;
  /** What people should be told, and how urgently. */
  readonly level?: 'INFO' | 'WARN' | 'ERROR';
  /** It has not expired, and will within the notice period. */
  readonly expiresSoon: boolean;
  /** Milliseconds; present while applications use more memory than is allowed. */
  readonly exceedRemainingTime?: number;
}

const day = 24 * 60 * 60_000;
/** People are told that a license expires so long before, milliseconds. */
export const noticePeriod = 30 * day;
const lastNotice = 7 * day;

/**
 * `exceededMillis`: for how long applications have used more memory than is allowed. A clock that goes back makes no
 * license invalid: its first day was looked at when it was uploaded.
 */
export function statusOf(
  terms: Pick<LicenseTerms, 'expireTime' | 'exceedGracePeriod'> | undefined,
  { now, exceededMillis }: { readonly now: number; readonly exceededMillis: number | undefined },
): LicenseStatus {
  if (!terms) return { state: 'missing', isLocked: true, level: 'ERROR', expiresSoon: false };
  const exceedRemainingTime =
    exceededMillis === undefined ? undefined : Math.max(0, terms.exceedGracePeriod - exceededMillis);
  const left = (terms.expireTime ?? Number.POSITIVE_INFINITY) - now;
  const common = {
    expiresSoon: left > 0 && left <= noticePeriod,
    ...(exceedRemainingTime === undefined ? {} : { exceedRemainingTime }),
  };
  if (left <= 0) return { state: 'expired', isLocked: true, level: 'ERROR', ...common };
  if (exceedRemainingTime === 0) return { state: 'violation', isLocked: true, level: 'ERROR', ...common };
  if (exceedRemainingTime !== undefined) return { state: 'grace', isLocked: false, level: 'WARN', ...common };
  if (left <= lastNotice) return { state: 'valid', isLocked: false, level: 'WARN', ...common };
  return { state: 'valid', isLocked: false, ...common, ...(common.expiresSoon ? { level: 'INFO' } : {}) };
}
