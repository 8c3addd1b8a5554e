import { join } from 'node:path';
import type { RecordedPort } from '@headgate/history/formats';
import { NotFound } from 'headgate/driver-kit';
import type { PhysicalOperator, PhysicalPlan } from '../plan/physical.js';
import type { RecordingOrder } from '../protocol/protocol.js';
import type { LocalClusterLimits } from '../settings/options.js';
import type { ActiveRecording } from './recording-register.js';

type Port = Omit<RecordedPort, 'id'>;

export interface RecordedApplication {
  readonly applicationId: string;
  /** Of its recordings. */
  readonly directory: string;
  readonly limits: Required<LocalClusterLimits>;
}

/** What the container is told that is to write the recording. */
export function recordingOrder(
  { id, operatorId, containerId, startTime }: ActiveRecording,
  what: { readonly ports: readonly Port[]; readonly windows: number | undefined },
  { applicationId, directory, limits }: RecordedApplication,
): RecordingOrder {
  return {
    id,
    applicationId,
    containerId,
    startTime,
    directory: join(directory, operatorId, id),
    ports: what.ports.map((port, index) => ({ ...port, id: String(index) })),
    ...(what.windows === undefined ? {} : { windows: what.windows }),
    topic: `applications.${applicationId}.tupleRecorder.${startTime}`,
    limits: {
      bytes: limits.recordingBytes,
      millis: limits.recordingMillis,
      tupleBytes: limits.recordedTupleBytes,
      partBytes: limits.recordingPartBytes,
      pendingBytes: limits.recordingQueueBytes,
      cpuPercent: limits.recordingCpuPercent,
      livePerSecond: limits.recordingLivePerSecond,
    },
  };
}

/** Ports as the physical plan names them: the inputs that are connected, and all outputs. */
export function portsOf(operator: PhysicalOperator, { connections }: PhysicalPlan): Port[] {
  const inputs = connections
    .filter(({ sink }) => sink.operator === operator)
    .map(({ sink, stream }) => ({ name: sink.label, streamName: stream.name, type: 'input' as const }));
  const outputs = Object.keys(operator.type.outputs).map((name) => ({
    name,
    streamName:
      connections.find(({ source }) => source.operator === operator && source.port === name)?.stream.name ??
      '',
    type: 'output' as const,
  }));
  return [...inputs, ...outputs];
}

/** The port of this name, or all of them. Throws `NotFound`, which names those that there are. */
export function portsToRecord(ports: readonly Port[], portName: string | undefined): readonly Port[] {
  if (portName === undefined) return ports;
  const found = ports.filter(({ name }) => name === portName);
  if (found.length > 0) return found;
  throw new NotFound(
    'connected port',
    portName,
    ports.map(({ name }) => name),
  );
}
