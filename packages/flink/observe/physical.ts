import type { PhysicalPlan, PhysOperator } from 'headgate/driver-kit';
import type { Subtask } from '../rest/vertex-shapes.js';
import { measuresOf } from './counters.js';
import { type Edge, sinksOf } from './edges.js';
import type { JobView, VertexView } from './job-view.js';
import { operatorIdOf } from './operator-ids.js';

const statuses: ReadonlyMap<string, PhysOperator['status']> = new Map([
  ['CREATED', 'PENDING_DEPLOY'],
  ['SCHEDULED', 'PENDING_DEPLOY'],
  ['DEPLOYING', 'PENDING_DEPLOY'],
  ['INITIALIZING', 'PENDING_DEPLOY'],
  ['RECONCILING', 'PENDING_DEPLOY'],
  ['RUNNING', 'ACTIVE'],
  ['CANCELING', 'PENDING_UNDEPLOY'],
]);

/** Where it is, or goes to. */
const deployed = new Set(['DEPLOYING', 'INITIALIZING', 'RUNNING', 'CANCELING']);

/** The task manager that a subtask is in; `undefined` while it is in none. */
const taskManagerOf = (subtask: Subtask): string | undefined =>
  deployed.has(subtask.status) ? lastTaskManagerOf(subtask) : undefined;

/** The same of one that has ended: where it was. */
export function lastTaskManagerOf(subtask: Subtask): string | undefined {
  const id = subtask['taskmanager-id'];
  return id && id !== '(unassigned)' ? id : undefined;
}

/** Without the port; `undefined` while it has none. */
export function hostOf({ endpoint, host }: Subtask): string | undefined {
  const address = endpoint ?? host ?? '';
  return address === '' || address === '(unassigned)' ? undefined : address.replace(/:\d+$/, '');
}

/** `heartbeats`: of task managers, epoch milliseconds. */
export function physicalOperators(view: JobView, heartbeats: ReadonlyMap<string, number>): PhysOperator[] {
  return view.vertices.flatMap((vertex) => {
    const ports = portsOf(vertex.index, view.edges);
    return vertex.subtasks.map((subtask) => operatorOf(vertex, subtask, { ports, heartbeats, at: view.at }));
  });
}

function operatorOf(
  { index, name, metrics }: VertexView,
  subtask: Subtask,
  more: {
    readonly ports: PhysOperator['ports'];
    readonly heartbeats: ReadonlyMap<string, number>;
    readonly at: number;
  },
): PhysOperator {
  const container = taskManagerOf(subtask) ?? null;
  const measures = measuresOf(subtask.subtask, metrics, more.at);
  // One that has ended has no metrics any more, or those of some time before its end.
  const counted = subtask.status === 'RUNNING' ? measures : undefined;
  return {
    id: operatorIdOf(index, subtask.subtask),
    name,
    logicalName: name,
    // Flink does not tell classes.
    className: '',
    container,
    host: container === null ? null : (hostOf(subtask) ?? null),
    status: statuses.get(subtask.status) ?? 'INACTIVE',
    clusterStatus: subtask.status,
    failureCount: subtask.attempt,
    lastHeartbeat: (container === null ? undefined : more.heartbeats.get(container)) ?? -1,
    recordingStartTime: -1,
    totalTuplesProcessed: counted?.recordsIn ?? subtask.metrics.read,
    totalTuplesEmitted: counted?.recordsOut ?? subtask.metrics.written,
    tuplesProcessedPSMA: measures.recordsInPerSecond,
    tuplesEmittedPSMA: measures.recordsOutPerSecond,
    ports: more.ports,
    counters: measures.counters,
    isUnifier: false,
    unifierClass: null,
  };
}

/** Flink counts for a subtask as a whole, and not for its edges. */
const portsOf = (vertexIndex: number, edges: readonly Edge[]): PhysOperator['ports'] =>
  edges.flatMap(({ source, sink, inputPort, outputPort }) => [
    ...(sink === vertexIndex ? [{ name: inputPort, type: 'input' as const }] : []),
    ...(source === vertexIndex ? [{ name: outputPort, type: 'output' as const }] : []),
  ]);

/** One for each subtask that an edge comes from. */
export function physicalStreams({ vertices, edges }: JobView): PhysicalPlan['streams'] {
  return edges.flatMap((edge) => {
    const [from, to] = [vertices[edge.source], vertices[edge.sink]];
    if (!from || !to) return [];
    return from.subtasks.map(({ subtask }) => ({
      logicalName: edge.name,
      locality: null,
      source: { operatorId: operatorIdOf(edge.source, subtask), portName: edge.outputPort },
      sinks: sinksOf(edge.shipStrategy, subtask, from.subtasks.length, to.subtasks.length).map((sink) => ({
        operatorId: operatorIdOf(edge.sink, sink),
        portName: edge.inputPort,
      })),
    }));
  });
}
