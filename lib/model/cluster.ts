import * as z from 'zod';
import { quantity } from './quantity.js';

/** Published as `cluster.metrics` too. */
export const ClusterMetrics = z
  .object({
    averageAge: quantity('ms').describe('milliseconds, over running applications'),
    cpuPercentage: quantity('percent').optional(),
    currentMemoryAllocatedMB: quantity('MB'),
    maxMemoryAllocatedMB: quantity('MB'),
    numAppsFailed: quantity('applications'),
    numAppsFinished: quantity('applications'),
    numAppsKilled: quantity('applications'),
    numAppsPending: quantity('applications'),
    numAppsRunning: quantity('applications'),
    numAppsSubmitted: quantity('applications'),
    numContainers: quantity('containers'),
    numOperators: quantity('operators'),
    tuplesEmittedPSMA: quantity('tuples/s').optional(),
    tuplesProcessedPSMA: quantity('tuples/s').optional(),
  })
  .meta({ id: 'ClusterMetrics' });
export type ClusterMetrics = z.output<typeof ClusterMetrics>;

export const Queue = z
  .object({
    name: z.string(),
    state: z.enum(['RUNNING', 'STOPPED']),
    capacity: quantity('percent').describe('percent'),
    currentCapacity: quantity('percent').describe('percent'),
    maxCapacity: quantity('percent').describe('percent'),
  })
  .meta({ id: 'Queue' });
export type Queue = z.output<typeof Queue>;
export const QueueList = z.object({ queues: z.array(Queue) });

/** Name to value; secrets are masked. */
export const ClusterConfiguration = z.record(z.string(), z.string()).meta({ id: 'ClusterConfiguration' });

/** Version and build of one part; absent values are empty strings. */
export interface BuildInfo {
  readonly version: string;
  readonly buildDate: string;
  readonly buildRevision: string;
  readonly buildVersion: string;
  readonly buildUser: string;
}

/** `docs/decisions.md`, About before a login: then there are `platformVersion` and `jvmName` only. */
const text = z.string().optional();
export const About = z
  .object({
    platformVersion: z.string(),
    jvmName: z.string().describe('pid@hostname, changes with each start of the gateway'),
    platformBuildDate: text,
    platformBuildRevision: text,
    platformBuildVersion: text,
    platformBuildUser: text,
    engineVersion: text,
    engineBuildDate: text,
    engineBuildRevision: text,
    engineBuildVersion: text,
    engineBuildUser: text,
    clusterVersion: text,
    clusterBuildDate: text,
    clusterBuildRevision: text,
    clusterBuildVersion: text,
    clusterBuildUser: text,
    version: text.meta({ deprecated: true }),
    buildDate: text.meta({ deprecated: true }),
    buildRevision: text.meta({ deprecated: true }),
    buildVersion: text.meta({ deprecated: true }),
    buildUser: text.meta({ deprecated: true }),
    'os.arch': text,
    'os.name': text,
    'os.version': text,
    javaVendor: text,
    javaVersion: text,
    gatewayUser: text,
    clusterLocation: text,
    configDirectory: text,
    clusterIsSecurityEnabled: z.boolean().optional(),
    haEnabled: z.boolean().optional(),
    timeZone: text,
    hostname: text,
  })
  .meta({ id: 'About' });
export type About = z.output<typeof About>;
