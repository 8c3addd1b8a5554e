import { newestWindow, oldestWindow, windowsBehind } from '../../format/windows.js';

/** What is measured of an operator, of a partition, or of several as one. Absent: not known. */
export interface Figures {
  /** How many partitions are in which state. */
  readonly states: Readonly<Record<string, number>>;
  readonly partitions: number;
  /** Tuples a second. */
  readonly processed: number;
  readonly emitted: number;
  /** Milliseconds, of the slowest. */
  readonly latency: number;
  /** Percent of one core, of the busiest. */
  readonly cpu: number;
  readonly failures: number;
  /** Streaming windows behind what it reads from, of the last one. */
  readonly lag?: number;
  /** Share of the time that it waits for those who read from it, from 0 to 1, of the worst. */
  readonly blocked?: number;
  /** The oldest window that any of them is in. */
  readonly window?: string | undefined;
  readonly ports: readonly PortFigures[];
}

export interface PortFigures {
  readonly name: string;
  readonly type: 'input' | 'output';
  readonly tuplesPSMA?: number | undefined;
}

interface Measured {
  readonly cpuPercentageMA?: number | undefined;
  readonly currentWindowId?: string | undefined;
  readonly failureCount: number;
  readonly latencyMA?: number | undefined;
  readonly tuplesEmittedPSMA?: number | undefined;
  readonly tuplesProcessedPSMA?: number | undefined;
  readonly counters?: Readonly<Record<string, unknown>> | undefined;
}

export interface MeasuredOperator extends Measured {
  readonly name: string;
  readonly partitions: readonly string[];
  readonly status: Readonly<Record<string, number>>;
  readonly autoMetrics?: Readonly<Record<string, unknown>> | null | undefined;
}

export interface MeasuredPartition extends Measured {
  readonly id: string;
  readonly status: string;
  readonly ports: readonly PortFigures[];
  readonly metrics?: Readonly<Record<string, unknown>> | null | undefined;
}

/** All figures of one moment. */
export interface Frame {
  /** Of a node of the plan, by its id. */
  of(id: string): Figures | undefined;
}

/** `upstream`: who each node reads from; its lag is counted against them. */
interface Around {
  readonly upstream: ReadonlyMap<string, readonly string[]>;
  readonly windowMillis: number;
}

export const operatorFrame = (operators: readonly MeasuredOperator[], around: Around): Frame =>
  frame(
    operators.map((operator) => [
      operator.name,
      {
        ...common(operator, operator.autoMetrics),
        states: operator.status,
        partitions: operator.partitions.length,
        ports: [],
      },
    ]),
    around,
  );

export const partitionFrame = (partitions: readonly MeasuredPartition[], around: Around): Frame =>
  frame(
    partitions.map((partition) => [
      partition.id,
      {
        ...common(partition, partition.metrics),
        states: { [partition.status]: 1 },
        partitions: 1,
        ports: partition.ports,
      },
    ]),
    around,
  );

/** Made for what is looked at only: with thousands of operators most are not. */
function frame(entries: readonly (readonly [string, Figures])[], { upstream, windowMillis }: Around): Frame {
  const all = new Map(entries);
  return {
    of(id) {
      const own = all.get(id);
      if (!own) return undefined;
      const ahead = newestWindow((upstream.get(id) ?? []).flatMap((other) => all.get(other)?.window ?? []));
      const lag = windowsBehind(own.window, ahead ?? own.window, windowMillis);
      return lag === undefined ? own : { ...own, lag };
    },
  };
}

function common(measured: Measured, metrics: Readonly<Record<string, unknown>> | null | undefined) {
  const blocked = blockedShare(metrics) ?? blockedShare(measured.counters);
  return {
    // What is not told is no number, and so is any sum with it.
    processed: measured.tuplesProcessedPSMA ?? Number.NaN,
    emitted: measured.tuplesEmittedPSMA ?? Number.NaN,
    latency: measured.latencyMA ?? Number.NaN,
    cpu: measured.cpuPercentageMA ?? Number.NaN,
    failures: measured.failureCount,
    window: measured.currentWindowId,
    ...(blocked === undefined ? {} : { blocked }),
  };
}

/** Flink measures it, in milliseconds of each second; summed up over partitions the worst counts. */
function blockedShare(metrics: Readonly<Record<string, unknown>> | null | undefined): number | undefined {
  const told = metrics?.['backPressuredTimeMsPerSecond'];
  const worst = typeof told === 'object' && told !== null && 'max' in told ? told.max : told;
  return typeof worst === 'number' && Number.isFinite(worst)
    ? Math.min(1, Math.max(0, worst / 1000))
    : undefined;
}

/** Several as one: sums of what flows, the worst of what hurts. */
export function together(all: readonly Figures[]): Figures | undefined {
  const [first, ...rest] = all;
  return first && rest.reduce(pair, first);
}

const worse = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.max(a, b);

function pair(a: Figures, b: Figures): Figures {
  const states = { ...a.states };
  for (const [state, count] of Object.entries(b.states)) states[state] = (states[state] ?? 0) + count;
  const lag = worse(a.lag, b.lag);
  const blocked = worse(a.blocked, b.blocked);
  return {
    states,
    partitions: a.partitions + b.partitions,
    processed: a.processed + b.processed,
    emitted: a.emitted + b.emitted,
    latency: Math.max(a.latency, b.latency),
    cpu: Math.max(a.cpu, b.cpu),
    failures: a.failures + b.failures,
    window: oldestWindow([a.window, b.window]),
    ports: [],
    ...(lag === undefined ? {} : { lag }),
    ...(blocked === undefined ? {} : { blocked }),
  };
}
