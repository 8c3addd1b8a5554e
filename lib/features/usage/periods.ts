import * as z from 'zod';
import type { ClusterMetrics } from '../../model/cluster.js';
import type { Period, UsageMetrics } from './schema.js';

export const periodMillis = 24 * 60 * 60 * 1000;

const measures = [
  'tuplesProcessedPSMA',
  'tuplesEmittedPSMA',
  'cpuPercentage',
  'numAppsRunning',
  'averageAge',
  'numContainers',
  'numOperators',
] as const satisfies readonly (keyof ClusterMetrics)[];

const Span = z.object({ max: z.number(), min: z.number() });

/** What is kept of the samples of a period. */
export const Aggregate = z.object({
  startTime: z.number(),
  endTime: z.number(),
  upMillis: z.number(),
  samples: z.number(),
  sums: z.record(z.enum(measures), z.number()),
  /** Samples without a measure, which the cluster did not tell. */
  untold: z.partialRecord(z.enum(measures), z.number()).default({}),
  appsRunning: Span,
  memoryMB: Span,
  lastMemoryMB: z.number(),
  appsFinished: z.number(),
});
export type Aggregate = z.output<typeof Aggregate>;

/** Kept from one start to the next. */
export const Usage = z.object({
  total: Aggregate,
  current: Aggregate,
  previous: Aggregate.optional(),
  /** Ended applications that the cluster knew of at the last sample. */
  finishedBefore: z.number().optional(),
  /** Of `previous`: nobody has got it yet. */
  isUnsent: z.boolean().optional(),
});
export type Usage = z.output<typeof Usage>;

/** What was measured at one moment. */
interface Sample {
  /** Epoch milliseconds. */
  readonly time: number;
  /** Since the sample before, of this same start. */
  readonly upMillis: number;
  readonly metrics: ClusterMetrics;
}

export const usageFrom = (startTime: number): Usage => ({
  total: emptyFrom(startTime),
  current: emptyFrom(startTime),
});

const emptyFrom = (startTime: number): Aggregate => ({
  startTime,
  endTime: startTime,
  upMillis: 0,
  samples: 0,
  sums: Object.fromEntries(measures.map((name) => [name, 0])) as Aggregate['sums'],
  untold: {},
  appsRunning: { max: 0, min: 0 },
  memoryMB: { max: 0, min: 0 },
  lastMemoryMB: 0,
  appsFinished: 0,
});

/**
 * Ends periods that are over at this time. They follow each other without gaps, whether the gateway ran or not; a clock
 * that was set back ends none.
 */
export function turned(usage: Usage, now: number): Usage {
  const complete = Math.floor((now - usage.current.startTime) / periodMillis);
  if (complete < 1) return usage;
  const startTime = usage.current.startTime + complete * periodMillis;
  const last = complete === 1 ? usage.current : emptyFrom(startTime - periodMillis);
  return {
    ...usage,
    previous: { ...last, endTime: startTime },
    current: emptyFrom(startTime),
    isUnsent: true,
  };
}

/** With one more sample in what runs. */
export function sampled(usage: Usage, sample: Sample): Usage {
  const present = turned(usage, sample.time);
  const { numAppsFinished } = sample.metrics;
  // What the cluster has forgotten meanwhile does not count backwards.
  const finished = Math.max(0, numAppsFinished - (present.finishedBefore ?? numAppsFinished));
  return {
    ...present,
    total: plus(present.total, sample, finished),
    current: plus(present.current, sample, finished),
    finishedBefore: numAppsFinished,
  };
}

function plus(before: Aggregate, { time, upMillis, metrics }: Sample, finished: number): Aggregate {
  const { numAppsRunning, currentMemoryAllocatedMB: memoryMB } = metrics;
  const isFirst = before.samples === 0;
  const sums = { ...before.sums };
  const untold = { ...before.untold };
  for (const name of measures) {
    const value = metrics[name];
    if (value === undefined) untold[name] = (untold[name] ?? 0) + 1;
    else sums[name] += value;
  }
  return {
    startTime: before.startTime,
    endTime: Math.max(before.endTime, time),
    upMillis: before.upMillis + upMillis,
    samples: before.samples + 1,
    sums,
    untold,
    appsRunning: widened(before.appsRunning, numAppsRunning, isFirst),
    memoryMB: widened(before.memoryMB, memoryMB, isFirst),
    lastMemoryMB: memoryMB,
    appsFinished: before.appsFinished + finished,
  };
}

const widened = ({ max, min }: z.output<typeof Span>, value: number, isFirst: boolean) =>
  isFirst ? { max: value, min: value } : { max: Math.max(max, value), min: Math.min(min, value) };

/** What not every cluster tells. */
type Told = Pick<UsageMetrics, 'tuplesProcessedPSMA' | 'tuplesEmittedPSMA' | 'cpuPercentage'>;

/** As it is told. */
export function usageMetricsOf(period: Period, aggregate: Aggregate): UsageMetrics {
  const average = (name: (typeof measures)[number]) =>
    aggregate.samples === 0 ? 0 : aggregate.sums[name] / aggregate.samples;
  /** Of the samples that have it; absent where none has. */
  const averageIfTold = (name: keyof Told) => {
    const count = aggregate.samples - (aggregate.untold[name] ?? 0);
    if (count > 0) return { [name]: aggregate.sums[name] / count };
    return aggregate.samples === 0 ? { [name]: 0 } : {};
  };
  return {
    period,
    startTime: aggregate.startTime,
    endTime: aggregate.endTime,
    gatewayUpTimeMills: Math.round(aggregate.upMillis),
    ...averageIfTold('tuplesProcessedPSMA'),
    ...averageIfTold('tuplesEmittedPSMA'),
    ...averageIfTold('cpuPercentage'),
    currentMemoryAllocatedMB: aggregate.lastMemoryMB,
    appsRunningMax: aggregate.appsRunning.max,
    appsRunningMin: aggregate.appsRunning.min,
    appsRunningAvg: average('numAppsRunning'),
    ageOfAppsAvg: average('averageAge'),
    memMBMax: aggregate.memoryMB.max,
    memMBMin: aggregate.memoryMB.min,
    numAppsFinished: aggregate.appsFinished,
    numOfContainersAvg: average('numContainers'),
    numOfOperatorsAvg: average('numOperators'),
  };
}
