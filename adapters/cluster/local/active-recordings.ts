import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Conflict, NotFound } from '../../../lib/driver-kit.js';
import type { RecordedPort } from '../recordings/meta.js';
import type { LocalClusterLimits } from './options.js';
import type { PhysicalOperator, PhysicalPlan } from './plan/physical.js';
import type { Question, RecordingOrder } from './processes/protocol.js';
import { Refused } from './processes/questions.js';
import type { LayoutHolder } from './rollout/layout.js';

interface ActiveRecording {
  readonly id: string;
  readonly operatorId: string;
  /** Absent: all ports. */
  readonly portName?: string;
  /** Epoch milliseconds. */
  readonly startTime: number;
  readonly containerId: string;
}

/** What is being recorded of a running application, by its containers. */
export interface ActiveRecordings {
  isActive(recordingId: string): boolean;
  /** The recording of an operator, or of one of its ports. */
  of(operatorId: string, portName?: string): ActiveRecording | undefined;
  /** See `Recorder.start`. */
  start(
    operatorId: string,
    what: { readonly portName?: string; readonly numWindows?: number },
    signal?: AbortSignal,
  ): Promise<string>;
  /** Resolves when they are written; see `Recorder.stop`. */
  stop(operatorId: string, what: { readonly portName?: string }, signal?: AbortSignal): Promise<void>;
  /** Its container says so. */
  ended(recordingId: string, containerId: string | undefined): void;
  containerEnded(containerId: string): void;
}

interface ActiveRecordingsDeps {
  readonly applicationId: string;
  readonly directory: string;
  readonly limits: Required<LocalClusterLimits>;
  readonly now: () => number;
  readonly holder: LayoutHolder;
  readonly ask: (operatorId: string, question: Question, signal?: AbortSignal) => Promise<unknown>;
}

interface Entry extends ActiveRecording {
  readonly over: Promise<void>;
  readonly end: () => void;
}

export function createActiveRecordings(deps: ActiveRecordingsDeps): ActiveRecordings {
  const active = new Map<string, Entry>();
  let lastStart = 0;

  const allOf = (operatorId: string) =>
    [...active.values()].filter((recording) => recording.operatorId === operatorId);

  function operatorOf(operatorId: string): PhysicalOperator {
    const found = deps.holder.layout.operator(operatorId);
    if (!found) throw new NotFound('physical operator', operatorId);
    return found.operator;
  }

  /** `docs/decisions.md`, Recordings exclude each other: an operator and its ports. */
  function checkIsFree(operatorId: string, portName: string | undefined): void {
    const taken = allOf(operatorId).find(
      (other) => portName === undefined || other.portName === undefined || other.portName === portName,
    );
    if (!taken) return;
    const what = taken.portName === undefined ? 'The operator' : `The port ${taken.portName} of the operator`;
    throw new Conflict(`${what} ${operatorId} is being recorded: ${taken.id}; stop that first`, {
      id: taken.id,
    });
  }

  function enter(recording: Omit<ActiveRecording, 'startTime' | 'id'>): Entry {
    // Its topic has the time as its name.
    const startTime = Math.max(deps.now(), lastStart + 1);
    lastStart = startTime;
    let end: () => void = () => {};
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    const entry = { ...recording, id: recordingId(startTime), startTime, over, end };
    active.set(entry.id, entry);
    return entry;
  }

  function orderOf(
    { id, operatorId, containerId, startTime }: Entry,
    ports: readonly Omit<RecordedPort, 'id'>[],
    windows: number | undefined,
  ): RecordingOrder {
    const { limits } = deps;
    return {
      id,
      applicationId: deps.applicationId,
      containerId,
      startTime,
      directory: join(deps.directory, operatorId, id),
      ports: ports.map((port, index) => ({ ...port, id: String(index) })),
      ...(windows === undefined ? {} : { windows }),
      topic: `applications.${deps.applicationId}.tupleRecorder.${startTime}`,
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

  function leave(entry: Entry | undefined): void {
    if (!entry) return;
    active.delete(entry.id);
    entry.end();
  }

  return {
    isActive: (id) => active.has(id),
    of: (operatorId, portName) => allOf(operatorId).find((recording) => recording.portName === portName),

    async start(operatorId, { portName, numWindows }, signal) {
      const operator = operatorOf(operatorId);
      const { layout } = deps.holder;
      const connected = portsOf(operator, layout.physical);
      const ports = connected.filter(({ name }) => portName === undefined || name === portName);
      if (portName !== undefined && ports.length === 0)
        throw new NotFound(
          'connected port',
          portName,
          connected.map(({ name }) => name),
        );
      checkIsFree(operatorId, portName);
      const containerId = layout.slot(operator.slot)?.agent?.containerId;
      if (containerId === undefined)
        throw new Conflict(`The operator ${operatorId} is not deployed now; try again when it runs`);
      const entry = enter({ operatorId, containerId, ...(portName === undefined ? {} : { portName }) });
      const recording = orderOf(entry, ports, numWindows);
      try {
        await deps.ask(operatorId, { what: 'startRecording', operatorId, recording }, signal);
      } catch (error) {
        // It may begin all the same, and whoever gave up was not told its id.
        if (signal?.aborted) deps.ask(operatorId, stopQuestion(entry)).catch(() => leave(entry));
        else leave(entry);
        throw error instanceof Refused ? new Conflict(error.message) : error;
      }
      return entry.id;
    },

    async stop(operatorId, { portName }, signal) {
      const operator = operatorOf(operatorId);
      if (
        portName !== undefined &&
        !portsOf(operator, deps.holder.layout.physical).some(({ name }) => name === portName)
      )
        throw new NotFound('port', portName);
      const found = allOf(operatorId).filter(
        (recording) => portName === undefined || recording.portName === portName,
      );
      if (found.length === 0) throw new NotFound('active recording of', portName ?? operatorId);
      await Promise.all(
        found.map(async (entry) => {
          await deps.ask(operatorId, stopQuestion(entry), signal).catch((error: unknown) => {
            if (active.has(entry.id)) throw error;
          });
          await entry.over;
        }),
      );
    },

    ended(id, containerId) {
      const entry = active.get(id);
      // Operators share the process: they can't end what another container records.
      if (entry?.containerId === containerId) leave(entry);
    },
    containerEnded(containerId) {
      for (const entry of [...active.values()]) if (entry.containerId === containerId) leave(entry);
    },
  };
}

const stopQuestion = ({ operatorId, id }: ActiveRecording): Question => ({
  what: 'stopRecording',
  operatorId,
  recordingId: id,
});

/** Ports as the physical plan names them: the inputs that are connected, and all outputs. */
function portsOf(operator: PhysicalOperator, { connections }: PhysicalPlan): Omit<RecordedPort, 'id'>[] {
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

/** `yyyyMMddHHmm-` of the start (UTC), and six characters that fit a URL. */
const recordingId = (startTime: number): string =>
  `${new Date(startTime).toISOString().replace(/\D/g, '').slice(0, 12)}-${randomBytes(5).toString('base64url').slice(0, 6)}`;

export const isRecordingId = (id: string): boolean => /^\d{12}-[\w-]{6}$/.test(id);
