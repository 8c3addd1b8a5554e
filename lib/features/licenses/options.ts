import { type OptionChecks, option } from '../../runtime/option-checks.js';
import type { LicenseTrust } from './signature.js';

/** A host that gives this demands a license: limits are enforced, and without a license nothing is launched. */
export interface LicensingOptions extends LicenseTrust {
  /** How often the memory of all running applications is looked at, milliseconds. Default: 10,000. */
  readonly sampleMillis?: number;
}

export const licensingOptions: OptionChecks<LicensingOptions> = {
  // What each of them must be the reader of licenses says.
  publicKeys: option.needed(option.listOf(option.anything), 'those that licenses are signed with, as PEM'),
  product: option.text,
  sampleMillis: option.atLeast(1),
};
