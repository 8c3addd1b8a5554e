import { z } from 'zod';
import { License } from '../licenses/schema.js';

/** `total`: since the installation; `previous`: the last 24 hours that are complete; `current`: those that run. */
export const Period = z.enum(['total', 'previous', 'current']);
export type Period = z.output<typeof Period>;
export const PeriodQuery = z.object({ period: Period.default('total') });

export const UsageMetrics = z
  .object({
    period: Period,
    startTime: z.number().describe('epoch milliseconds'),
    endTime: z.number().describe('epoch milliseconds; of what still runs: the newest sample'),
    gatewayUpTimeMills: z.number().describe('of this period'),
    tuplesProcessedPSMA: z.number().describe('average of the samples'),
    tuplesEmittedPSMA: z.number().describe('average of the samples'),
    cpuPercentage: z.number().describe('average of the samples'),
    currentMemoryAllocatedMB: z.number().describe('of the newest sample'),
    appsRunningMax: z.number(),
    appsRunningMin: z.number(),
    appsRunningAvg: z.number(),
    ageOfAppsAvg: z.number().describe('milliseconds'),
    memMBMax: z.number(),
    memMBMin: z.number(),
    numAppsFinished: z.number().describe('in this period'),
    numOfContainersAvg: z.number(),
    numOfOperatorsAvg: z.number(),
  })
  .meta({ id: 'UsageMetrics' });
export type UsageMetrics = z.output<typeof UsageMetrics>;

/** Spec 2.5. What nobody can tell now is left out. */
export const PhoneHomeReport = z
  .object({
    licenseId: z.string().optional(),
    license: License.omit({ issuedTo: true })
      .extend({ expirationTimeNotificationLevel: z.enum(['INFO', 'WARN', 'ERROR']).optional() })
      .optional(),
    numNodesInCluster: z.number().optional(),
    'platform.version': z.string(),
    'engine.version': z.string().optional(),
    'cluster.version': z.string().optional(),
    'java.vendor': z.string(),
    'java.version': z.string(),
    'os.arch': z.string(),
    'os.name': z.string(),
    'os.version': z.string(),
    metrics: UsageMetrics,
  })
  .meta({ id: 'PhoneHomeReport' });
export type PhoneHomeReport = z.output<typeof PhoneHomeReport>;

/** Spec 4.4: of `platform.phoneHome.enable` nothing but the value. */
export const Switch = z.object({ value: z.string() });
export const SwitchInput = z.strictObject({
  value: z.union([z.boolean(), z.enum(['true', 'false'])]),
});
