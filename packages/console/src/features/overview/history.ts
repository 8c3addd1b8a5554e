import type { Sample } from '../../charts/series.js';

/** What was measured of one operator or container at one moment. */
export interface Measured<Values> {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly values: Values;
}

/** Usual distance between two measurements of the same thing, milliseconds: the middle one. `undefined`: there are no two. */
export function stepOf(items: readonly Measured<unknown>[]): number | undefined {
  const last = new Map<string, number>();
  const steps: number[] = [];
  for (const { id, at } of items) {
    const before = last.get(id);
    if (before !== undefined && at > before) steps.push(at - before);
    last.set(id, at);
  }
  return steps.sort((a, b) => a - b)[Math.floor(steps.length / 2)];
}

/**
 * Measurements of many things as those of one: each step of time has the last of each thing that was measured in it. Things are not
 * all measured in the same millisecond, and each has its own beginning and end.
 */
export function together<Values, Result>(
  items: readonly Measured<Values>[],
  stepMillis: number,
  join: (values: ReadonlyMap<string, Values>) => Result,
): { readonly at: number; readonly result: Result }[] {
  const steps = new Map<number, { at: number; values: Map<string, Values> }>();
  for (const { id, at, values } of items) {
    const place = Math.floor(at / stepMillis);
    const step = steps.get(place) ?? { at, values: new Map<string, Values>() };
    step.at = Math.max(step.at, at);
    step.values.set(id, values);
    steps.set(place, step);
  }
  return [...steps].sort(([a], [b]) => a - b).map(([, { at, values }]) => ({ at, result: join(values) }));
}

export interface OperatorValues {
  /** Of the logical plan. */
  readonly name: string;
  readonly processed: number;
  readonly emitted: number;
  /** Milliseconds. */
  readonly latency: number;
}

/** Names of the operators that each operator reads from. */
type Upstream = ReadonlyMap<string, readonly string[]>;

export interface Plan {
  readonly operators: readonly { readonly name: string }[];
  readonly streams: readonly {
    readonly source: { readonly operatorName: string };
    readonly sinks: readonly { readonly operatorName: string }[];
  }[];
}

export function upstreamOf({ operators, streams }: Plan): Upstream {
  const upstream = new Map<string, string[]>(operators.map(({ name }) => [name, []]));
  for (const { source, sinks } of streams)
    for (const { operatorName } of sinks) upstream.get(operatorName)?.push(source.operatorName);
  return upstream;
}

/** Milliseconds along the critical path: the one from an input to an output on which latencies add up to most. */
export function latencyAlong(upstream: Upstream, latencies: ReadonlyMap<string, number>): number {
  const known = new Map<string, number>();
  // A plan has no loops; one that says otherwise must not hang the page.
  const until = (name: string): number => {
    const there = known.get(name);
    if (there !== undefined) return there;
    known.set(name, 0);
    const before = Math.max(0, ...(upstream.get(name) ?? []).map(until));
    const here = before + (latencies.get(name) ?? 0);
    known.set(name, here);
    return here;
  };
  return Math.max(0, ...[...upstream.keys()].map(until));
}

/** [processed, emitted] a second, and [latency]: rates add up, the slowest partition is the operator's latency. */
export function ofOperators(
  values: ReadonlyMap<string, OperatorValues>,
  upstream: Upstream,
): { readonly rates: readonly number[]; readonly latency: readonly number[] } {
  const latencies = new Map<string, number>();
  let processed = 0;
  let emitted = 0;
  for (const one of values.values()) {
    processed += one.processed;
    emitted += one.emitted;
    latencies.set(one.name, Math.max(latencies.get(one.name) ?? 0, one.latency));
  }
  return { rates: [processed, emitted], latency: [latencyAlong(upstream, latencies)] };
}

export interface MemoryValues {
  /** MB. */
  readonly allocated: number;
  readonly free: number | undefined;
}

/** [used, allocated] of all containers, MB; what is used is unknown while one of them does not tell. */
export function ofContainers(values: Iterable<MemoryValues>): readonly (number | null)[] {
  let used: number | null = 0;
  let allocated = 0;
  for (const one of values) {
    allocated += one.allocated;
    used = used === null || one.free === undefined ? null : used + one.allocated - one.free;
  }
  return [used, allocated];
}

/** How much of the newest a page can add up: `items` of the API, spread evenly over the time. Milliseconds. */
export const affordable = (millis: number, stepMillis: number, things: number, most: number): number =>
  Math.min(millis, Math.floor((most * stepMillis) / Math.max(1, things)));

export const samplesOf = <Result>(
  steps: readonly { readonly at: number; readonly result: Result }[],
  pick: (result: Result) => Sample['values'],
): Sample[] => steps.map(({ at, result }) => ({ at, values: pick(result) }));
