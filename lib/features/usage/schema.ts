import * as z from 'zod';
import { quantity } from '../../model/quantity.js';
import { License } from '../licenses/schema.js';

/** `total`: since the installation; `previous`: the last 24 hours that are complete; `current`: those that run. */
export const Period = z.enum(['total', 'previous', 'current']);
export type Period = z.output<typeof Period>;
export const PeriodQuery = z.object({ period: Period.default('total') });

export const UsageMetrics = z
  .object({
    period: Period,
    startTime: quantity('epoch ms').describe('epoch milliseconds'),
    endTime: quantity('epoch ms').describe('epoch milliseconds; of what still runs: the newest sample'),
    gatewayUpTimeMills: quantity('ms').describe('of this period'),
    tuplesProcessedPSMA: quantity('tuples/s').optional().describe('average of the samples that have it'),
    tuplesEmittedPSMA: quantity('tuples/s').optional().describe('average of the samples that have it'),
    cpuPercentage: quantity('percent').optional().describe('average of the samples that have it'),
    currentMemoryAllocatedMB: quantity('MB').describe('of the newest sample'),
    appsRunningMax: quantity('applications'),
    appsRunningMin: quantity('applications'),
    appsRunningAvg: quantity('applications'),
    ageOfAppsAvg: quantity('ms').describe('milliseconds'),
    memMBMax: quantity('MB'),
    memMBMin: quantity('MB'),
    numAppsFinished: quantity('applications').describe('in this period'),
    numOfContainersAvg: quantity('containers'),
    numOfOperatorsAvg: quantity('operators'),
  })
  .meta({ id: 'UsageMetrics' });
export type UsageMetrics = z.output<typeof UsageMetrics>;

/** What nobody can tell now is left out. */
export const PhoneHomeReport = z
  .object({
    licenseId: z.string().optional(),
    license: License.omit({ issuedTo: true })
      .extend({ expirationTimeNotificationLevel: z.enum(['INFO', 'WARN', 'ERROR']).optional() })
      .optional(),
    numNodesInCluster: quantity('nodes').optional(),
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

/** Of `platform.phoneHome.enable` nothing but the value. */
export const Switch = z.object({ value: z.string() });
export const SwitchInput = z.strictObject({
  value: z.union([z.boolean(), z.enum(['true', 'false'])]),
});
