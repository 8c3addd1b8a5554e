import * as z from 'zod';

/** As far as a date can be written. */
const Epoch = z.number().int().nonnegative().max(8_640_000_000_000_000);
const Text = z.string().max(1000);

/** What a license file says, under the signature of its vendor. */
export const LicenseTerms = z.object({
  id: z.string().min(1).max(128),
  /** The product that it is for. */
  product: z.string().min(1).max(128),
  issuedTo: Text,
  issuedBy: Text.exactOptional(),
  issuerWebsite: Text.exactOptional(),
  supportedBy: Text.exactOptional(),
  supportURL: Text.exactOptional(),
  /** For people; the product need not know it. */
  licenseType: Text.exactOptional(),
  category: Text.exactOptional(),
  contextType: z.enum(['community', 'standard', 'enterprise']).default('standard'),
  type: z.enum(['evaluation', 'non_production', 'production']).default('production'),
  /** Epoch milliseconds. */
  startDate: Epoch,
  /** Epoch milliseconds; absent: it lasts. */
  expireTime: Epoch.exactOptional(),
  /** MB of all running applications together; absent: no limit. */
  memoryMBAllowed: z.number().nonnegative().exactOptional(),
  /** Told, and not enforced; absent: no limit. */
  nodesAllowed: z.number().int().nonnegative().exactOptional(),
  /** Milliseconds that applications may use more than the memory that is allowed. */
  exceedGracePeriod: z
    .number()
    .int()
    .nonnegative()
    .default(30 * 60_000),
  /** Names that a later version of the gateway knows are let in. */
  features: z.array(z.string().max(128)).max(100).default([]),
});
export type LicenseTerms = z.output<typeof LicenseTerms>;
export type LicenseTermsInput = z.input<typeof LicenseTerms>;
