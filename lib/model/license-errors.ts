import { DocumentedError } from './errors.js';

/** A license that can't be taken; the one that is there stays. */
export class LicenseRefused extends DocumentedError {
  constructor(
    reason: 'corrupted' | 'untrusted' | 'expired' | 'notYet' | 'product',
    message: string,
    cause?: unknown,
  ) {
    super('LICENSE_REFUSED', message, { details: { reason }, cause });
  }
}

/** The license is locked: nothing new is started or built, everything else goes on. */
export class LicenseLocked extends DocumentedError {
  constructor(message: string) {
    super('LICENSE_LOCKED', message);
  }
}

export class FeatureNotLicensed extends DocumentedError {
  constructor(feature: string, message: string) {
    super('FEATURE_NOT_LICENSED', message, { details: { feature } });
  }
}
