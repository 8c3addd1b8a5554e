import { hostname } from 'node:os';
import type { PhysicalPlan, PhysOperator } from 'headgate/driver-kit';
import { subscriberOf } from '../layout/operator-plans.js';
import type { OperatorState } from '../layout/physical-state.js';
import { rounded } from '../layout/statistics.js';
import { windowId } from '../model/windows.js';
import { criticalPath, latencyOf } from './latency.js';
import type { ViewedApplication, ViewedState } from './viewed-application.js';

/** Operators with their metrics, and the connections between them. */
export function physicalPlanView(application: ViewedApplication): PhysicalPlan {
  const { state } = application;
  const metrics = { latencies: latenciesOf(state), coming: comingOf(state) };
  return {
    operators: state.operators.map((operator) => operatorView(application, operator, metrics)),
    streams: streamViews(state),
  };
}

export function latenciesOf(application: ViewedState): ReadonlyMap<string, number> {
  const states = new Map(application.operators.map((state) => [state.operator.id, state]));
  const upstream = upstreamOf(application);
  return new Map(
    application.operators.map(({ operator, statistics }) => {
      const sources = (upstream.get(operator.id) ?? []).flatMap(
        (id) => states.get(id)?.statistics.ends ?? [],
      );
      return [operator.id, latencyOf(statistics.ends, sources, application.clock)];
    }),
  );
}

export function criticalPathOf(
  application: ViewedState,
  latencies: ReadonlyMap<string, number>,
): { readonly path: readonly string[]; readonly millis: number } {
  const upstream = upstreamOf(application);
  const order: string[] = [];
  const visited = new Set<string>();
  const visit = (id: string) => {
    if (visited.has(id)) return;
    visited.add(id);
    for (const source of upstream.get(id) ?? []) visit(source);
    order.push(id);
  };
  for (const { operator } of application.operators) visit(operator.id);
  return criticalPath(order, upstream, latencies);
}

/** By operator and input port: tuples that wait for it at its sources in other containers. */
function comingOf({ layout, physical }: ViewedState): ReadonlyMap<string, number> {
  const coming = new Map<string, number>();
  for (const connection of physical.connections) {
    const { source, sink } = connection;
    const unsent = layout.operator(source.operator.id)?.statistics.unsent[subscriberOf(connection)] ?? 0;
    const place = inputOf(sink.operator.id, sink.label);
    coming.set(place, (coming.get(place) ?? 0) + unsent);
  }
  return coming;
}

const inputOf = (operatorId: string, port: string) => `${operatorId} ${port}`;

function upstreamOf({ physical }: ViewedState): ReadonlyMap<string, readonly string[]> {
  const upstream = new Map<string, string[]>();
  for (const { source, sink } of physical.connections)
    upstream.set(sink.operator.id, [...(upstream.get(sink.operator.id) ?? []), source.operator.id]);
  return upstream;
}

function operatorView(
  application: ViewedApplication,
  state: OperatorState,
  {
    latencies,
    coming,
  }: {
    readonly latencies: ReadonlyMap<string, number>;
    readonly coming: ReadonlyMap<string, number>;
  },
): PhysOperator {
  const { operator, statistics } = state;
  const { layout, clock, isOver } = application.state;
  const slot = layout.slot(operator.slot);
  // Of an ended application it is of interest where the operator ran last.
  const last = isOver ? application.containers.findLast((entry) => entry.slot === slot)?.id : undefined;
  const container = slot?.agent?.containerId ?? last ?? null;
  const counters =
    Object.keys(statistics.counters).length > 0 ? { counters: { ...statistics.counters } } : {};
  return {
    id: operator.id,
    name: operator.name,
    logicalName: operator.name,
    className: operator.type.className,
    container,
    host: container === null ? null : hostname(),
    status: statusOf(application.state, state),
    cpuPercentageMA: statistics.cpuPercentage,
    // A heartbeat may come after the word of a checkpoint.
    currentWindowId: windowId(clock, Math.max(statistics.window, state.recoveryWindow)),
    ...(statistics.windowSince < 0 ? {} : { currentWindowSince: statistics.windowSince }),
    recoveryWindowId: windowId(clock, state.recoveryWindow),
    failureCount: statistics.failureCount,
    lastHeartbeat: statistics.lastHeartbeat,
    latencyMA: rounded(latencies.get(operator.id) ?? 0),
    ...recordingOf(application, operator.id),
    totalTuplesEmitted: statistics.total('output'),
    totalTuplesProcessed: statistics.total('input'),
    tuplesEmittedPSMA: statistics.rate('output'),
    tuplesProcessedPSMA: statistics.rate('input'),
    ports: [...statistics.ports.values()].map((port) => ({
      name: port.name,
      type: port.type,
      totalTuples: port.tuples,
      tuplesPSMA: port.tupleRate.get(),
      bufferServerBytesPSMA: port.byteRate.get(),
      // An operator that reads and writes may use one name for both.
      queueSizeMA:
        port.type === 'input' ? port.queued + (coming.get(inputOf(operator.id, port.name)) ?? 0) : 0,
      ...recordingOf(application, operator.id, port.name),
    })),
    ...counters,
    metrics: null,
    isUnifier: operator.isUnifier,
    unifierClass: operator.isUnifier ? operator.type.className : null,
    checkpointStartTime: statistics.checkpoint.startedAt,
    checkpointTime: rounded(statistics.checkpoint.millis),
    checkpointTimeMA: rounded(statistics.checkpoint.average),
  };
}

function recordingOf({ recordings }: ViewedApplication, operatorId: string, portName?: string) {
  const recording = recordings.of(operatorId, portName);
  return { recordingStartTime: recording?.startTime ?? -1, recordingId: recording?.id ?? null };
}

function statusOf({ isOver }: ViewedState, state: OperatorState): PhysOperator['status'] {
  if (isOver || state.finalWindow !== undefined) return 'INACTIVE';
  return state.active ? 'ACTIVE' : 'PENDING_DEPLOY';
}

/** One entry per emitting port of a partition, as the engine shows streams. */
function streamViews({ physical }: ViewedState): PhysicalPlan['streams'] {
  const streams = new Map<string, PhysicalPlan['streams'][number]>();
  for (const { stream, source, sink } of physical.connections) {
    const key = `${stream.name} ${source.operator.id}.${source.port}`;
    const known = streams.get(key);
    const end = { operatorId: sink.operator.id, portName: sink.label };
    if (known) known.sinks.push(end);
    else
      streams.set(key, {
        logicalName: stream.name,
        locality: stream.locality,
        source: { operatorId: source.operator.id, portName: source.port },
        sinks: [end],
      });
  }
  return [...streams.values()];
}
