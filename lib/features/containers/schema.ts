import { z } from 'zod';
import { NumberInput } from '../../core/inputs.js';

export const ContainerState = z.enum(['NEW', 'ALLOCATED', 'ACTIVE', 'KILLED']);
export type ContainerState = z.output<typeof ContainerState>;

/** Spec 2.2. */
export const Container = z
  .object({
    id: z.string(),
    host: z.string(),
    state: ContainerState,
    jvmName: z.string().describe('pid@hostname; empty before it runs'),
    lastHeartbeat: z.number().describe('epoch milliseconds; -1: none yet'),
    numOperators: z.number(),
    operators: z.record(z.string(), z.string()).describe('operator id to operator name'),
    memoryMBAllocated: z.number(),
    memoryMBFree: z.number(),
    gcCollectionTime: z.number().describe('milliseconds in all'),
    gcCollectionCount: z.number(),
    containerLogsUrl: z.string(),
    rawContainerLogsUrl: z.string(),
    startedTime: z.number().describe('epoch milliseconds; -1: not yet'),
    finishedTime: z.number().describe('epoch milliseconds; -1: not yet'),
    containerType: z.enum(['APP_MASTER', 'STREAMING']),
  })
  .meta({ id: 'Container' });
export type Container = z.output<typeof Container>;

export const ContainerList = z.object({ containers: z.array(Container) });

export const ContainerFilter = z.object({
  states: z.string().optional().describe('comma-separated; unknown values match nothing'),
  types: z.enum(['all', 'appmaster']).default('all'),
});
export type ContainerFilter = z.output<typeof ContainerFilter>;

export const ThreadDump = z
  .object({
    threads: z.array(
      z.object({
        name: z.string(),
        state: z.string(),
        id: z.string(),
        stackTraceElements: z.array(z.string()),
      }),
    ),
  })
  .meta({ id: 'ThreadDump' });
export type ThreadDump = z.output<typeof ThreadDump>;

export const ContainerId = z.object({ appid: z.string(), containerId: z.string() });

/** Spec 2.2. */
export const LogInfo = z
  .object({
    name: z.string(),
    length: z.number().describe('bytes'),
    rawUrl: z.string().optional(),
  })
  .meta({ id: 'LogInfo' });
export type LogInfo = z.output<typeof LogInfo>;

export const LogLine = z
  .object({
    byteOffset: z.string().optional().describe('bytes from the start of the log'),
    line: z.string(),
  })
  .meta({ id: 'LogLine' });
export type LogLine = z.output<typeof LogLine>;

/** One garbage collection. Sizes in bytes. */
export const GcEvent = LogLine.extend({
  startTime: z.number().describe('epoch milliseconds'),
  type: z.literal('GC'),
  occupiedHeapMemoryBefore: z.number(),
  occupiedHeapMemoryAfter: z.number(),
  heapCapacity: z.number(),
  heapReductionPercentage: z.number(),
  duration: z.number().describe('milliseconds'),
  container: z.string(),
}).meta({ id: 'GcEvent' });
export type GcEvent = z.output<typeof GcEvent>;

/** Items of one answer at most. */
export const maxStatsItems = 10_000;

/** Without `startTime` and `endTime`: the newest items. In a range: all of it, or an error when that is too much. */
export const StatsQuery = z
  .object({
    startTime: NumberInput.exactOptional().describe('epoch milliseconds, inclusive'),
    endTime: NumberInput.exactOptional().describe('epoch milliseconds, inclusive'),
  })
  .refine(({ startTime = -Infinity, endTime = Infinity }) => startTime <= endTime, {
    path: ['endTime'],
    message: 'is before `startTime`',
  });
export type StatsQuery = z.output<typeof StatsQuery>;

/** What has been recorded so far. */
export const StatsExtent = {
  startTime: z.number().describe('epoch milliseconds of the oldest item; 0 as long as there is none'),
  endTime: z.number().describe('of the newest'),
  count: z.number().describe('items'),
  ended: z.boolean().describe('nothing is recorded any more'),
};

export const ContainerStatsMeta = z
  .object({
    appId: z.string(),
    containers: z.record(
      z.string(),
      z.object({ id: z.string(), jvmName: z.string(), host: z.string(), memoryMBAllocated: z.number() }),
    ),
    ...StatsExtent,
  })
  .meta({ id: 'ContainerStatsMeta' });
export type ContainerStatsMeta = z.output<typeof ContainerStatsMeta>;

export const ContainerStats = z
  .object({
    containerId: z.string().describe('a key of `containers` of the meta'),
    timestamp: z.number().describe('epoch milliseconds'),
    stats: z.looseObject({
      numOperators: z.number(),
      memoryMBFree: z.number().optional(),
      gcCollectionTime: z.number().optional().describe('milliseconds in all'),
      gcCollectionCount: z.number().optional(),
    }),
  })
  .meta({ id: 'ContainerStats' });
export type ContainerStats = z.output<typeof ContainerStats>;
export const ContainerStatsList = z.object({ containerStats: z.array(ContainerStats) });
