import type { LogicalOperator, LogicalPlan, PhysOperator } from 'headgate/driver-kit';
import { rounded } from '../layout/statistics.js';
import { operatorAttributes, portAttributes } from '../plan/attributes.js';
import { countersOf } from './counters.js';
import type { ViewedState } from './viewed-application.js';

/** The plan as it was launched, with every port and the properties in force. */
export function logicalPlanView({ plan, record }: ViewedState): LogicalPlan {
  return {
    operators: plan.operators.map(({ name, type, attributes, properties, ports }) => {
      const {
        name: _name,
        class: _class,
        attributes: _attributes,
        ports: _ports,
        properties: _properties,
        ...free
      } = record.application.operators.find((operator) => operator.name === name) ?? { name, class: '' };
      const port = (type: 'input' | 'output') => (portName: string) => ({
        name: portName,
        type,
        attributes: withDefaults(portAttributes, ports.get(portName) ?? {}),
      });
      return {
        ...free,
        name,
        class: type.className,
        attributes: withDefaults(operatorAttributes, attributes),
        ports: [
          ...Object.keys(type.inputs).map(port('input')),
          ...Object.keys(type.outputs).map(port('output')),
        ],
        properties: { class: type.className, ...properties },
      };
    }),
    streams: plan.streams.map(({ name, locality, source, sinks }) => ({
      name,
      locality,
      source: { operatorName: source.operator, portName: source.port },
      sinks: sinks.map(({ operator, port }) => ({ operatorName: operator, portName: port })),
    })),
  };
}

function withDefaults(
  catalogue: Readonly<Record<string, { safeParse(value: unknown): { success: boolean; data?: unknown } }>>,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(catalogue)) {
    const value = values[name] ?? schema.safeParse(undefined).data;
    if (value !== undefined) result[name] = value;
  }
  return result;
}

/** Partitions and unifiers of each operator added up, as the engine does: rates without unifiers, slowest latency. */
export function logicalOperatorsView(
  { plan, physical }: ViewedState,
  operators: readonly PhysOperator[],
): LogicalOperator[] {
  const byId = new Map(operators.map((operator) => [operator.id, operator]));
  return plan.operators.map(({ name, type }) => {
    const own = physical.operators.filter(({ logical }) => logical.name === name);
    const of = (isUnifier: boolean) =>
      own.filter((operator) => operator.isUnifier === isUnifier).flatMap(({ id }) => byId.get(id) ?? []);
    return aggregated(name, type.className, of(false), of(true));
  });
}

function aggregated(
  name: string,
  className: string,
  partitions: readonly PhysOperator[],
  unifiers: readonly PhysOperator[],
): LogicalOperator {
  const all = [...partitions, ...unifiers];
  const sum = (of: (operator: PhysOperator) => number, among = partitions) =>
    rounded(among.reduce((total, operator) => total + of(operator), 0));
  const status: Record<string, number> = {};
  for (const operator of all) status[operator.status] = (status[operator.status] ?? 0) + 1;
  const distinct = (values: readonly (string | null)[]) => [
    ...new Set(values.filter((value) => value !== null)),
  ];
  const counters = countersOf(partitions);
  return {
    name,
    className,
    containerIds: distinct(all.map(({ container }) => container)),
    hosts: distinct(all.map(({ host }) => host)),
    partitions: partitions.map(({ id }) => id),
    unifiers: unifiers.map(({ id }) => id),
    cpuPercentageMA: sum(({ cpuPercentageMA = 0 }) => cpuPercentageMA, all),
    currentWindowId: smallestId(all.flatMap(({ currentWindowId }) => currentWindowId ?? [])),
    recoveryWindowId: smallestId(all.flatMap(({ recoveryWindowId }) => recoveryWindowId ?? [])),
    failureCount: sum(({ failureCount }) => failureCount, all),
    lastHeartbeat: Math.min(...all.map(({ lastHeartbeat }) => lastHeartbeat)),
    latencyMA: rounded(
      Math.max(0, ...partitions.map(({ latencyMA = 0 }) => latencyMA)) +
        Math.max(0, ...unifiers.map(({ latencyMA = 0 }) => latencyMA)),
    ),
    status,
    totalTuplesEmitted: sum(({ totalTuplesEmitted = 0 }) => totalTuplesEmitted),
    totalTuplesProcessed: sum(({ totalTuplesProcessed = 0 }) => totalTuplesProcessed),
    tuplesEmittedPSMA: sum(({ tuplesEmittedPSMA = 0 }) => tuplesEmittedPSMA),
    tuplesProcessedPSMA: sum(({ tuplesProcessedPSMA = 0 }) => tuplesProcessedPSMA),
    ...(counters ? { counters } : {}),
    autoMetrics: null,
    checkpointTimeMA: Math.max(0, ...all.map(({ checkpointTimeMA = 0 }) => checkpointTimeMA)),
  };
}

/** Ids are decimal text of 64 bits: longer is larger, then in the order of digits. */
export function smallestId(ids: readonly string[]): string {
  return ids.reduce(
    (smallest, id) =>
      id.length < smallest.length || (id.length === smallest.length && id < smallest) ? id : smallest,
    ids[0] ?? '0',
  );
}
