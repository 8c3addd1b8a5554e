import { GatewayError } from './errors.js';

/** A license that can't be taken; the one that is there stays. */
export class LicenseRefused extends GatewayError {
  constructor(
    reason: 'corrupted' | 'untrusted' | 'expired' | 'notYet' | 'product',
    message: string,
    cause?: unknown,
  ) {
    super(400, 'LICENSE_REFUSED', message, { details: { reason }, cause });
  }
}

/** The license is locked: nothing new is started or built, everything else goes on. */
export class LicenseLocked extends GatewayError {
  constructor(message: string) {
    super(403, 'LICENSE_LOCKED', message);
  }
}

export class FeatureNotLicensed extends GatewayError {
  constructor(feature: string, message: string) {
    super(403, 'FEATURE_NOT_LICENSED', message, { details: { feature } });
  }
}
