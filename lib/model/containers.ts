import * as z from 'zod';
import { Address } from './address.js';
import { Flag, NumberInput } from './inputs.js';
import { inUnit, quantity } from './quantity.js';

const ContainerState = z.enum(['NEW', 'ALLOCATED', 'ACTIVE', 'KILLED']);

export const Container = z
  .object({
    id: z.string(),
    host: z.string(),
    state: ContainerState,
    jvmName: z.string().describe('pid@hostname; empty before it runs'),
    lastHeartbeat: quantity('epoch ms').describe('epoch milliseconds; -1: none yet'),
    numOperators: quantity('operators'),
    operators: z.record(z.string(), z.string()).describe('operator id to operator name'),
    memoryMBAllocated: quantity('MB').optional(),
    memoryMBFree: quantity('MB').optional(),
    gcCollectionTime: quantity('ms').optional().describe('milliseconds in all'),
    gcCollectionCount: quantity('collections').optional(),
    containerLogsUrl: Address,
    rawContainerLogsUrl: z.string(),
    startedTime: quantity('epoch ms').describe('epoch milliseconds; -1: not yet'),
    finishedTime: quantity('epoch ms').describe('epoch milliseconds; -1: not yet'),
    containerType: z.enum(['APP_MASTER', 'STREAMING']),
  })
  .meta({ id: 'Container' });
export type Container = z.output<typeof Container>;

export const ContainerList = z.object({ containers: z.array(Container) });
export type ContainerList = z.output<typeof ContainerList>;

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

export const LogInfo = z
  .object({
    name: z.string(),
    length: quantity('bytes').describe('bytes'),
    rawUrl: z.string().optional(),
  })
  .meta({ id: 'LogInfo' });
export type LogInfo = z.output<typeof LogInfo>;

export const LogLine = z
  .object({
    byteOffset: z
      .string()
      .meta(inUnit('bytes'))
      .optional()
      .describe('bytes from the start of the log; absent in garbage collections asked for without it'),
    line: z.string(),
  })
  .meta({ id: 'LogLine' });
export type LogLine = z.output<typeof LogLine>;

export const LogList = z.object({ logs: z.array(LogInfo) });
export const LogLines = z.object({ lines: z.array(LogLine) });

/** One garbage collection. */
export const GcEvent = LogLine.extend({
  startTime: quantity('epoch ms').describe('epoch milliseconds'),
  type: z.literal('GC'),
  occupiedHeapMemoryBefore: quantity('KB').describe('KB'),
  occupiedHeapMemoryAfter: quantity('KB').describe('KB'),
  heapCapacity: quantity('KB').describe('KB'),
  heapReductionPercentage: quantity('percent').describe('percent of the occupied heap'),
  duration: quantity('s').describe('seconds'),
  container: z.string(),
}).meta({ id: 'GcEvent' });
export type GcEvent = z.output<typeof GcEvent>;

/** Items of one answer at most. */
export const maxStatsItems = 10_000;

const Moment = NumberInput.meta(inUnit('epoch ms'));

/** Without `startTime` and `endTime`: the newest items. In a range: all of it, or an error when that is too much. */
export const StatsQuery = z
  .object({
    startTime: Moment.exactOptional().describe('epoch milliseconds, inclusive'),
    endTime: Moment.exactOptional().describe('epoch milliseconds, inclusive'),
  })
  .refine(({ startTime = -Infinity, endTime = Infinity }) => startTime <= endTime, {
    path: ['endTime'],
    message: 'is before `startTime`',
  });
export type StatsQuery = z.output<typeof StatsQuery>;

/** What has been recorded so far. */
export const StatsExtent = {
  startTime: quantity('epoch ms').describe(
    'epoch milliseconds of the oldest item; 0 as long as there is none',
  ),
  endTime: quantity('epoch ms').describe('of the newest'),
  count: quantity('items').describe('items'),
  ended: z.boolean().describe('nothing is recorded any more'),
};

export const GcEventList = z.object({ lines: z.array(GcEvent) });

export const LogName = z.object({ appid: z.string(), containerId: z.string(), logName: z.string() });
export const GcLogName = z.object({ appid: z.string(), logName: z.string() });
export const OperatorGcLogName = z.object({
  appid: z.string(),
  operatorName: z.string(),
  logName: z.string(),
});

const Bytes = z
  .union(
    [
      z.number(),
      z
        .string()
        .regex(/^\d{1,15}$/)
        .transform(Number),
    ],
    'expected a number of bytes',
  )
  .refine((bytes) => Number.isSafeInteger(bytes) && bytes >= 0, 'expected a number of bytes')
  .meta(inUnit('bytes'));

const tail = {
  lastNBytes: Bytes.optional().describe('only the end, from the first whole line on'),
  lastNbytes: Bytes.optional().describe('the same, as older clients spell it'),
};

/** `docs/decisions.md`, Both spellings of the last bytes. */
function lastBytes<
  Q extends { readonly lastNBytes?: number | undefined; readonly lastNbytes?: number | undefined },
>({ lastNBytes, lastNbytes, ...query }: Q, context: z.RefinementCtx) {
  if (lastNBytes !== undefined && lastNbytes !== undefined && lastNBytes !== lastNbytes)
    context.addIssue({ code: 'custom', path: ['lastNBytes'], message: 'lastNbytes says something else' });
  return { ...query, lastBytes: lastNBytes ?? lastNbytes };
}

const grep = z.string().optional().describe('only lines in which this regular expression (RE2) matches');
const offsets = Flag.describe('false: the text alone; true: JSON, each line with its byteOffset');

/** What of a log, and as what. Offsets beyond its end count as its end. */
export const LogQuery = z
  .object({
    start: Bytes.optional().describe('bytes, inclusive; in the middle of a line: from there'),
    end: Bytes.optional().describe('bytes, exclusive'),
    ...tail,
    grep,
    includeOffset: offsets.default(false),
    download: Flag.default(false).describe(
      'true: the bytes of any length, streamed as a file to be kept; excludes grep and includeOffset',
    ),
  })
  .transform(lastBytes)
  .superRefine(({ start, end, lastBytes, download, grep, includeOffset }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (start !== undefined && end !== undefined && end < start) refuse('end', 'lies before start');
    if (lastBytes !== undefined && (start !== undefined || end !== undefined))
      refuse('lastNBytes', 'excludes start and end');
    if (download && (grep !== undefined || includeOffset))
      refuse('download', 'excludes grep and includeOffset');
  });
export type LogQuery = z.output<typeof LogQuery>;

const gcQuery = {
  ...tail,
  grep,
  descendingOrder: Flag.default(false).describe('true: the newest first'),
};
export const GcQuery = z.object({ ...gcQuery, includeOffset: offsets.default(false) }).transform(lastBytes);
export type GcQuery = z.output<typeof GcQuery>;
export const OperatorGcQuery = z
  .object({ ...gcQuery, includeOffset: Flag.default(true).describe('false: without byteOffset') })
  .transform(lastBytes);

export const ContainerStatsMeta = z
  .object({
    appId: z.string(),
    containers: z.record(
      z.string(),
      z.object({
        id: z.string(),
        jvmName: z.string(),
        host: z.string(),
        memoryMBAllocated: quantity('MB').optional(),
      }),
    ),
    ...StatsExtent,
  })
  .meta({ id: 'ContainerStatsMeta' });
export type ContainerStatsMeta = z.output<typeof ContainerStatsMeta>;

export const ContainerStats = z
  .object({
    containerId: z.string().describe('a key of `containers` of the meta'),
    timestamp: quantity('epoch ms').describe('epoch milliseconds'),
    stats: z.looseObject({
      numOperators: quantity('operators'),
      memoryMBFree: quantity('MB').optional(),
      gcCollectionTime: quantity('ms').optional().describe('milliseconds in all'),
      gcCollectionCount: quantity('collections').optional(),
    }),
  })
  .meta({ id: 'ContainerStats' });
export type ContainerStats = z.output<typeof ContainerStats>;
export const ContainerStatsList = z.object({ containerStats: z.array(ContainerStats) });
