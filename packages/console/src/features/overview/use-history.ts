import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { ClientError } from 'headgate/client';
import type { Sample } from '../../charts/series.js';
import { client } from '../../gateway/client.js';
import type { Span } from '../../shell/time-range.js';
import {
  affordable,
  type Measured,
  type MemoryValues,
  type OperatorValues,
  ofContainers,
  ofOperators,
  samplesOf,
  stepOf,
  together,
  upstreamOf,
} from './history.js';

export interface History {
  readonly rates: readonly Sample[];
  readonly latency: readonly Sample[];
  readonly memory: readonly Sample[];
  /** Usual distance between two samples, milliseconds. */
  readonly step: number;
  /** Epoch milliseconds; later than what was asked for where that would have been too much. */
  readonly from: number;
  readonly missing?: 'none kept' | 'too many operators';
  readonly operators: number;
}

/** Items that a page adds up: some 20 MB of JSON. */
const mostItems = 40_000;
/** Below what one answer holds. */
const mostOfOne = 8_000;
const mostOperators = 100;
const usualStep = 10_000;

/** Statistics kept of an application: those of its operators and containers, added up. `span` must stand still while it is read. */
export function useHistory(
  appid: string,
  key: string,
  span: () => Span,
  isEnabled: boolean,
): UseQueryResult<History, Error> {
  return useQuery({
    queryKey: ['listOperatorStats', appid, key],
    queryFn: ({ signal }) => readHistory(appid, span(), signal),
    enabled: isEnabled,
    structuralSharing: false,
  });
}

async function readHistory(appid: string, span: Span, signal: AbortSignal): Promise<History> {
  const call = { params: { appid }, signal };
  const [meta, plan, list] = await Promise.all([
    client.getContainerStatsMeta(call).catch(absent),
    client.getLogicalPlan(call),
    client.listLogicalOperators(call),
  ]);
  const nothing = { rates: [], latency: [], memory: [], step: usualStep, from: span.from };
  const operators = list.operators.length;
  // The first record of containers comes before that of operators: until the second there is nothing of these.
  if (meta === undefined || meta.endTime <= meta.startTime)
    return { ...nothing, missing: 'none kept', operators };
  if (operators > mostOperators) return { ...nothing, missing: 'too many operators', operators };

  const places = list.operators.map(({ name, partitions, unifiers }) => ({
    name,
    things: Math.max(1, partitions.length + unifiers.length),
  }));
  const things = places.reduce((sum, one) => sum + one.things, 0);
  const length = affordable(span.to - span.from, usualStep, things, mostItems);
  const from = span.to - length;
  const [measured, memory] = await Promise.all([
    Promise.all(places.map((one) => operatorValues(appid, one, { from, to: span.to }, signal))),
    containerValues(appid, meta.containers, { from, to: span.to }, signal),
  ]);
  const upstream = upstreamOf(plan);
  const all = measured.flat();
  const step = stepOf(all) ?? stepOf(memory) ?? usualStep;
  const steps = together(all, step, (values) => ofOperators(values, upstream));
  const isCut = from > span.from;
  return {
    rates: samplesOf(steps, ({ rates }) => rates),
    latency: samplesOf(steps, ({ latency }) => latency),
    memory: samplesOf(
      together(memory, step, (values) => ofContainers(values.values())),
      (values) => values,
    ),
    step,
    from: isCut ? from : span.from,
    operators,
  };
}

/** In slices that one answer can hold, one after the other. */
async function sliced<Item>(
  { from, to }: Span,
  things: number,
  readSlice: (query: { startTime: number; endTime: number }) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  const width = affordable(to - from, usualStep, things, mostOfOne);
  const items: Item[] = [];
  for (let at = from; at < to; at += width)
    items.push(...(await readSlice({ startTime: at, endTime: Math.min(to, at + width - 1) })));
  return items;
}

async function operatorValues(
  appid: string,
  { name, things }: { readonly name: string; readonly things: number },
  span: Span,
  signal: AbortSignal,
): Promise<readonly Measured<OperatorValues>[]> {
  const items = await sliced(span, things, async (query) => {
    const answer = await client
      .listOperatorStats({ params: { appid, opName: name }, query, signal })
      .catch(absent);
    return answer?.operatorStats ?? [];
  });
  return items.map(({ operatorId, timestamp, stats }) => ({
    id: operatorId,
    at: timestamp,
    values: {
      name,
      processed: stats.tuplesProcessedPSMA ?? Number.NaN,
      emitted: stats.tuplesEmittedPSMA ?? Number.NaN,
      latency: stats.latencyMA ?? Number.NaN,
    },
  }));
}

async function containerValues(
  appid: string,
  containers: Readonly<Record<string, { readonly memoryMBAllocated?: number | undefined }>>,
  span: Span,
  signal: AbortSignal,
): Promise<readonly Measured<MemoryValues>[]> {
  const items = await sliced(span, Object.keys(containers).length, async (query) => {
    const answer = await client.listContainerStats({ params: { appid }, query, signal }).catch(absent);
    return answer?.containerStats ?? [];
  });
  return items.map(({ containerId, timestamp, stats }) => ({
    id: containerId,
    at: timestamp,
    values: { allocated: containers[containerId]?.memoryMBAllocated ?? 0, free: stats.memoryMBFree },
  }));
}

/** Nothing is recorded of it. */
function absent(error: unknown): undefined {
  if (error instanceof ClientError && error.status === 404) return undefined;
  throw error;
}
