import * as z from 'zod';
import { Flag } from './inputs.js';
import { quantity } from './quantity.js';

const OperatorStatus = z.enum(['PENDING_DEPLOY', 'ACTIVE', 'PENDING_UNDEPLOY', 'INACTIVE']);

export const PhysPort = z
  .object({
    name: z.string(),
    type: z.enum(['input', 'output']),
    totalTuples: quantity('tuples').optional(),
    tuplesPSMA: quantity('tuples/s').optional(),
    bufferServerBytesPSMA: quantity('bytes/s').optional(),
    queueSizeMA: quantity('tuples').optional(),
    recordingStartTime: quantity('epoch ms')
      .optional()
      .describe('epoch milliseconds; absent or -1: not recorded'),
    recordingId: z.string().nullable().optional(),
  })
  .meta({ id: 'PhysPort' });
export type PhysPort = z.output<typeof PhysPort>;

export const PhysOperator = z
  .object({
    id: z.string(),
    name: z.string(),
    logicalName: z.string(),
    className: z.string(),
    container: z.string().nullable().describe('container id; null while not deployed'),
    host: z.string().nullable(),
    status: OperatorStatus,
    clusterStatus: z.string().optional().describe('the same in the words of the cluster'),
    cpuPercentageMA: quantity('percent').optional(),
    currentWindowId: z.string().optional().describe('absent: the engine has no windows'),
    currentWindowSince: quantity('epoch ms')
      .optional()
      .describe('epoch milliseconds at which it came to its current window; absent: not known'),
    recoveryWindowId: z.string().optional().describe('absent: the engine has no windows'),
    failureCount: quantity('failures'),
    lastHeartbeat: quantity('epoch ms').describe('epoch milliseconds; -1: none yet'),
    latencyMA: quantity('ms').optional().describe('milliseconds'),
    recordingStartTime: quantity('epoch ms').describe('epoch milliseconds; -1: not recorded'),
    recordingId: z.string().nullable().optional(),
    totalTuplesEmitted: quantity('tuples').optional(),
    totalTuplesProcessed: quantity('tuples').optional(),
    tuplesEmittedPSMA: quantity('tuples/s').optional(),
    tuplesProcessedPSMA: quantity('tuples/s').optional(),
    ports: z.array(PhysPort),
    counters: z.record(z.string(), z.unknown()).optional(),
    metrics: z.record(z.string(), z.unknown()).nullable().optional(),
    isUnifier: z.boolean(),
    unifierClass: z.string().nullable(),
    checkpointStartTime: quantity('epoch ms').optional(),
    checkpointTime: quantity('ms').optional().describe('milliseconds the last checkpoint took'),
    checkpointTimeMA: quantity('ms').optional(),
  })
  .meta({ id: 'PhysOperator' });
export type PhysOperator = z.output<typeof PhysOperator>;

export const Locality = z.enum(['THREAD_LOCAL', 'CONTAINER_LOCAL', 'NODE_LOCAL', 'RACK_LOCAL']);
export type Locality = z.output<typeof Locality>;

const PhysEnd = z.object({ operatorId: z.string(), portName: z.string() });
const PhysStream = z
  .object({
    logicalName: z.string(),
    locality: Locality.nullable(),
    source: PhysEnd,
    sinks: z.array(PhysEnd),
  })
  .meta({ id: 'PhysStream' });

export const PhysicalPlan = z
  .object({ operators: z.array(PhysOperator), streams: z.array(PhysStream) })
  .meta({ id: 'PhysicalPlan' });
export type PhysicalPlan = z.output<typeof PhysicalPlan>;

export const DeployHistory = z
  .object({
    name: z.string(),
    containers: z.array(z.object({ container: z.string(), startTime: quantity('epoch ms') })),
  })
  .meta({ id: 'DeployHistory' });
export type DeployHistory = z.output<typeof DeployHistory>;

export const OperatorList = z.object({ operators: z.array(PhysOperator) });
export type OperatorList = z.output<typeof OperatorList>;
export const StreamList = z.object({ streams: z.array(PhysStream) });
export const PortList = z.object({ ports: z.array(PhysPort) });

export const OperatorId = z.object({ appid: z.string(), opid: z.string() });
/** Property name to value; `null` for one without. */
export const PropertyValues = z.record(z.string(), z.unknown()).meta({ id: 'PropertyValues' });
export type PropertyValues = z.output<typeof PropertyValues>;
export const PropertyQuery = z.object({ propertyName: z.string().exactOptional().describe('only this one') });
export const PhysicalPropertyQuery = PropertyQuery.extend({
  live: Flag.exactOptional().describe(
    'what it has now, asked from where it runs; by default what it was given. Drivers whose operators can be asked without harm always ask',
  ),
});
/** Values as JSON, or as text that says the same: `"5"`, `"true"`, `"[1,2]"`. */
export const PropertyInput = z
  .record(z.string().max(1024), z.unknown())
  .meta({ id: 'PropertyInput', description: 'property name to value; null: the default' });
export const PortName = OperatorId.extend({ portName: z.string() });
