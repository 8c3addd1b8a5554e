import * as z from 'zod';
import { quantity } from '../../model/quantity.js';
import { noLimit } from './no-limit.js';

const epoch = () => quantity('epoch ms').describe('epoch milliseconds');
const text = () => z.string().optional();

/** Absent where there is no license at all. */
const limits = {
  expireTime: epoch().optional().describe(`epoch milliseconds; ${noLimit.expireTime}: it lasts`),
  memoryMBAllowed: quantity('MB').optional().describe(`MB; ${noLimit.memoryMBAllowed}: no limit`),
  exceedGracePeriod: quantity('ms')
    .optional()
    .describe(`milliseconds that more memory may be used; ${noLimit.exceedGracePeriod}: no limit`),
};

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
    memoryMBUsed: quantity('MB').optional().describe('absent while the cluster was never reached'),
    valid: z.boolean(),
  })
  .meta({ id: 'License' });
export type License = z.output<typeof License>;

const kinds = {
  nodesAllowed: quantity('nodes').optional().describe(`${noLimit.nodesAllowed}: no limit`),
  contextType: z.enum(['community', 'standard', 'enterprise']).optional(),
  type: z.enum(['evaluation', 'non_production', 'production']).optional(),
  features: z.array(z.string()).optional(),
};

/** The answer of an upload: the license, and what it allows. */
export const AddedLicense = License.extend({
  ...kinds,
  expirationTimeNotificationPeriod: quantity('ms').describe(
    'milliseconds before the end that people are told',
  ),
}).meta({ id: 'AddedLicense' });
export type AddedLicense = z.output<typeof AddedLicense>;

export const LicenseList = z.object({ licenses: z.array(License) });

/** Without any license only `currentTime`, `current` and `valid` are there. */
export const CurrentLicense = z
  .object({
    id: text(),
    currentTime: epoch(),
    ...limits,
    ...kinds,
    nodesUsed: quantity('nodes').optional(),
    memoryMBUsed: quantity('MB').optional(),
    exceedRemainingTime: quantity('ms').optional().describe('milliseconds until the license is locked'),
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
