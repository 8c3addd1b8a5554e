import type { LicenseTrust } from './signature.js';

/** A host that gives this demands a license: limits are enforced, and without a license nothing is launched. */
export interface LicensingOptions extends LicenseTrust {
  /** How often the memory of all running applications is looked at, milliseconds. Default: 10,000. */
  readonly sampleMillis?: number;
}
