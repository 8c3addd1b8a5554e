import type { CurrentLicense, License } from './schema.js';
import type { LicenseTerms } from './terms.js';
import type { LicenseView } from './troubles.js';

/** Spec 2.5, License. */
export function licenseOf(terms: LicenseTerms, { standing, usedMB, now }: LicenseView): License {
  const {
    product: _,
    nodesAllowed: _nodes,
    contextType: _context,
    type,
    features: _features,
    ...shown
  } = terms;
  return {
    ...shown,
    licenseType: terms.licenseType ?? type,
    currentTime: now,
    ...(usedMB === undefined ? {} : { memoryMBUsed: usedMB }),
    valid: standing.state !== 'expired',
  };
}

/** Spec 2.5, CurrentLicense. Without any it claims nothing (`resolved-gaps.md` G11). */
export function currentLicense(
  view: LicenseView & { readonly nodesUsed: number | undefined },
): CurrentLicense {
  const { terms, standing, usedMB, nodesUsed, now } = view;
  if (!terms) return { currentTime: now, current: false, valid: false };
  const { id, expireTime, nodesAllowed, memoryMBAllowed } = terms;
  const { level, exceedRemainingTime } = standing;
  return {
    id,
    currentTime: now,
    ...(expireTime === undefined ? {} : { expireTime }),
    ...(nodesAllowed === undefined ? {} : { nodesAllowed }),
    ...(nodesUsed === undefined ? {} : { nodesUsed }),
    ...(memoryMBAllowed === undefined ? {} : { memoryMBAllowed }),
    ...(usedMB === undefined ? {} : { memoryMBUsed: usedMB }),
    exceedGracePeriod: terms.exceedGracePeriod,
    ...(exceedRemainingTime === undefined ? {} : { exceedRemainingTime, violation: 'memory' }),
    contextType: terms.contextType,
    type: terms.type,
    features: terms.features,
    current: true,
    ...(level ? { expirationTimeNotificationLevel: level } : {}),
    valid: standing.state !== 'expired',
  };
}
