import { noLimit } from './no-limit.js';
import type { AddedLicense, CurrentLicense, License } from './schema.js';
import { noticePeriod } from './status.js';
import type { LicenseTerms } from './terms.js';
import type { LicenseView } from './warnings.js';

/** A license, as the API tells it. */
export function licenseOf(terms: LicenseTerms, { status, usedMB, now }: LicenseView): License {
  const {
    product: _,
    nodesAllowed: _nodes,
    contextType: _context,
    type,
    features: _features,
    ...shown
  } = terms;
  return {
    expireTime: noLimit.expireTime,
    memoryMBAllowed: noLimit.memoryMBAllowed,
    ...shown,
    licenseType: terms.licenseType ?? type,
    currentTime: now,
    ...(usedMB === undefined ? {} : { memoryMBUsed: usedMB }),
    valid: status.state !== 'expired',
  };
}

/** What an upload is answered with. */
export function addedLicense(terms: LicenseTerms, view: LicenseView): AddedLicense {
  const { nodesAllowed = noLimit.nodesAllowed, contextType, type, features } = terms;
  return {
    ...licenseOf(terms, view),
    nodesAllowed,
    contextType,
    type,
    features,
    expirationTimeNotificationPeriod: noticePeriod,
  };
}

/** The license in force and its use. Without any it claims nothing. */
export function currentLicense(view: LicenseView): CurrentLicense {
  const { terms, status, usedMB, nodesUsed, now } = view;
  if (!terms) return { currentTime: now, current: false, valid: false };
  const { expireTime, nodesAllowed, memoryMBAllowed } = { ...noLimit, ...terms };
  const { level, exceedRemainingTime } = status;
  return {
    id: terms.id,
    currentTime: now,
    expireTime,
    nodesAllowed,
    ...(nodesUsed === undefined ? {} : { nodesUsed }),
    memoryMBAllowed,
    ...(usedMB === undefined ? {} : { memoryMBUsed: usedMB }),
    exceedGracePeriod: terms.exceedGracePeriod,
    ...(exceedRemainingTime === undefined ? {} : { exceedRemainingTime, violation: 'memory' }),
    contextType: terms.contextType,
    type: terms.type,
    features: terms.features,
    current: true,
    ...(level ? { expirationTimeNotificationLevel: level } : {}),
    valid: status.state !== 'expired',
  };
}
