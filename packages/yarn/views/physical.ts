import type { PhysicalPlan, PhysOperator } from 'headgate/driver-kit';
import * as z from 'zod';
import { Id, Moment, numbersOf, Quantity, Values, WindowId } from '../wire/values.js';

const RecordingId = z
  .string()
  .nullish()
  .transform((id) => id || null);

const Port = z.object({
  name: z.string(),
  type: z.enum(['input', 'output']),
  totalTuples: Quantity,
  tuplesPSMA: Quantity,
  bufferServerBytesPSMA: Quantity,
  queueSizeMA: Quantity,
  recordingId: RecordingId,
});

const Operator = z.object({
  id: Id,
  name: z.string(),
  logicalName: z
    .string()
    .nullish()
    .transform((name) => name ?? undefined),
  className: z.string(),
  container: z.string().nullish(),
  host: z.string().nullish(),
  status: z.enum(['PENDING_DEPLOY', 'ACTIVE', 'PENDING_UNDEPLOY', 'INACTIVE']),
  cpuPercentageMA: Quantity,
  currentWindowId: WindowId,
  recoveryWindowId: WindowId,
  failureCount: Quantity,
  lastHeartbeat: Moment,
  latencyMA: Quantity,
  recordingId: RecordingId,
  totalTuplesEmitted: Quantity,
  totalTuplesProcessed: Quantity,
  tuplesEmittedPSMA: Quantity,
  tuplesProcessedPSMA: Quantity,
  ports: z.array(Port).default([]),
  counters: z.unknown(),
  metrics: Values.nullish(),
  unifierClass: z.string().nullish(),
  checkpointStartTime: Moment,
  checkpointTime: Quantity,
  checkpointTimeMA: Quantity,
});

const Stream = z.object({
  logicalName: z.string(),
  source: z.object({ operatorId: Id, portName: z.string() }),
  sinks: z.array(z.object({ operatorId: Id, portName: z.string() })),
  locality: z.enum(['THREAD_LOCAL', 'CONTAINER_LOCAL', 'NODE_LOCAL', 'RACK_LOCAL']).nullish().catch(null),
});

export const MasterOperators = z.object({ operators: z.array(Operator) });
export const MasterPhysicalPlan = MasterOperators.extend({ streams: z.array(Stream).default([]) });

/** Epoch milliseconds of the start of a recording; -1: unknown. The engine tells its id only. */
type RecordingStarts = (operatorId: string, recordingId: string) => number;

export const physicalPlanView = (
  plan: z.output<typeof MasterPhysicalPlan>,
  startOf: RecordingStarts,
): PhysicalPlan => ({
  operators: plan.operators.map((operator) => operatorView(operator, startOf)),
  streams: plan.streams.map(({ locality, ...stream }) => ({ ...stream, locality: locality ?? null })),
});

function operatorView(
  { logicalName, container, host, unifierClass, counters, metrics, ...operator }: z.output<typeof Operator>,
  startOf: RecordingStarts,
): PhysOperator {
  const since = (recordingId: string | null) =>
    recordingId === null ? -1 : startOf(operator.id, recordingId);
  return {
    ...operator,
    logicalName: logicalName ?? operator.name,
    container: container ?? null,
    host: host ?? null,
    unifierClass: unifierClass ?? null,
    isUnifier: Boolean(unifierClass),
    recordingStartTime: since(operator.recordingId),
    ports: operator.ports.map((port) => ({ ...port, recordingStartTime: since(port.recordingId) })),
    metrics: metrics ? numbersOf(metrics) : null,
    ...(isRecord(counters) ? { counters: numbersOf(counters) } : {}),
  };
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is being recorded, from a plan. */
export function recordingsIn(
  plan: z.output<typeof MasterOperators>,
): { readonly operatorId: string; readonly portName?: string; readonly id: string }[] {
  return plan.operators.flatMap(({ id: operatorId, recordingId, ports }) => [
    ...(recordingId ? [{ operatorId, id: recordingId }] : []),
    ...ports.flatMap(({ name, recordingId: id }) => (id ? [{ operatorId, portName: name, id }] : [])),
  ]);
}
