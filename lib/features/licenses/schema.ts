import { z } from 'zod';

const epoch = () => z.number().describe('epoch milliseconds');
const text = () => z.string().optional();

/** What has no limit is left out. */
const limits = {
  expireTime: epoch().optional().describe('epoch milliseconds; absent: it lasts'),
  memoryMBAllowed: z.number().optional().describe('absent: no limit'),
  exceedGracePeriod: z.number().optional().describe('milliseconds that more memory may be used'),
};

/** Spec 2.5. */
export const License = z
  .object({
    id: z.string(),
    licenseType: text(),
    category: text(),
    issuedTo: text(),
    issuedBy: text(),
    issuerWebsite: text(),
    supportedBy: text(),
    supportURL: text(),
    currentTime: epoch(),
    startDate: epoch().optional(),
    ...limits,
    memoryMBUsed: z.number().optional().describe('absent while the cluster was never reached'),
    valid: z.boolean(),
  })
  .meta({ id: 'License' });
export type License = z.output<typeof License>;

const kinds = {
  nodesAllowed: z.number().optional().describe('absent: no limit'),
  contextType: z.enum(['community', 'standard', 'enterprise']).optional(),
  type: z.enum(['evaluation', 'non_production', 'production']).optional(),
  features: z.array(z.string()).optional(),
};

/** Both shapes that the spec names for the answer of an upload, in one. */
export const AddedLicense = License.extend({
  ...kinds,
  expirationTimeNotificationPeriod: z.number().describe('milliseconds before the end that people are told'),
}).meta({ id: 'AddedLicense' });
export type AddedLicense = z.output<typeof AddedLicense>;

export const LicenseList = z.object({ licenses: z.array(License) });

/** Spec 2.5. Without any license only `currentTime`, `current` and `valid` are there. */
export const CurrentLicense = z
  .object({
    id: text(),
    currentTime: epoch(),
    ...limits,
    ...kinds,
    nodesUsed: z.number().optional(),
    memoryMBUsed: z.number().optional(),
    exceedRemainingTime: z.number().optional().describe('milliseconds until the license is locked'),
    violation: z.literal('memory').optional(),
    current: z.boolean(),
    expirationTimeNotificationLevel: z.enum(['INFO', 'WARN', 'ERROR']).optional(),
    valid: z.boolean(),
  })
  .meta({ id: 'CurrentLicense' });
export type CurrentLicense = z.output<typeof CurrentLicense>;

export const LicenseId = z.object({ id: z.string() });
export const LicenseUpload = z.object({
  filename: z.string().max(255).exactOptional().describe('kept with the license, for people'),
});
export type LicenseUpload = z.output<typeof LicenseUpload>;
