import { z } from 'zod';

/** Spec 2.5. Published as `cluster.metrics` too. */
export const ClusterMetrics = z
  .object({
    averageAge: z.number().describe('milliseconds, over running applications'),
    cpuPercentage: z.number(),
    currentMemoryAllocatedMB: z.number(),
    maxMemoryAllocatedMB: z.number(),
    numAppsFailed: z.number(),
    numAppsFinished: z.number(),
    numAppsKilled: z.number(),
    numAppsPending: z.number(),
    numAppsRunning: z.number(),
    numAppsSubmitted: z.number(),
    numContainers: z.number(),
    numOperators: z.number(),
    tuplesEmittedPSMA: z.number(),
    tuplesProcessedPSMA: z.number(),
  })
  .meta({ id: 'ClusterMetrics' });
export type ClusterMetrics = z.output<typeof ClusterMetrics>;

export const Queue = z
  .object({
    name: z.string(),
    state: z.enum(['RUNNING', 'STOPPED']),
    capacity: z.number().describe('percent'),
    currentCapacity: z.number().describe('percent'),
    maxCapacity: z.number().describe('percent'),
  })
  .meta({ id: 'Queue' });
export type Queue = z.output<typeof Queue>;
export const QueueList = z.object({ queues: z.array(Queue) });

/** Name to value; secrets are masked. */
export const ClusterConfiguration = z.record(z.string(), z.string()).meta({ id: 'ClusterConfiguration' });

/** Version and build of one part (spec 2.5, About); absent values are empty strings. */
export interface BuildInfo {
  readonly version: string;
  readonly buildDate: string;
  readonly buildRevision: string;
  readonly buildVersion: string;
  readonly buildUser: string;
}

/** Callers without a session get `platformVersion` and `jvmName` only (spec 2.5 mentions the shorter form). */
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
