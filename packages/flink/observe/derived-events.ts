import { createHash } from 'node:crypto';
import type { Event } from 'headgate/driver-kit';
import type { FlinkCheckpoint, FlinkException, FlinkRescale } from '../rest/history-shapes.js';
import type { JobView, VertexView } from './job-view.js';
import { operatorIdOf } from './operator-ids.js';
import { hostOf, lastTaskManagerOf } from './physical.js';

/** A property that was written here. */
export interface PropertyChange {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly operatorName: string;
  readonly propertyName: string;
  readonly propertyValue: string;
}

/** What happened to a job, as far as Flink tells: it has no events of its own. Each has the same id whenever it is told. */
export function eventsOf(
  view: JobView,
  told: {
    readonly exceptions: readonly FlinkException[];
    readonly checkpoints: readonly FlinkCheckpoint[];
    readonly rescales: readonly FlinkRescale[];
    readonly changes: readonly PropertyChange[];
  },
): Event[] {
  return [
    ...stateEvents(view),
    ...deployEvents(view),
    ...told.exceptions.flatMap((exception) => errorEvent(view, exception)),
    ...told.checkpoints.flatMap(checkpointEvent),
    ...told.rescales.flatMap(rescaleEvent),
    ...told.changes.flatMap(({ at, ...data }) => eventOf('SetOperatorProperty', at, data, data.operatorName)),
  ];
}

function eventOf(type: string, timestamp: number | undefined, data: Event['data'], mark: string): Event[] {
  if (timestamp === undefined || timestamp <= 0) return [];
  const id = createHash('sha256').update(`${timestamp} ${type} ${mark}`).digest('hex').slice(0, 16);
  return [{ id: `${timestamp}-${id}`, timestamp, type, data }];
}

/** When it came to each state last. */
const stateEvents = ({ job }: JobView): Event[] =>
  Object.entries(job.timestamps).flatMap(([state, at]) => eventOf('JobStateChanged', at, { state }, state));

/** Of the present attempts, and of the task managers that they made use of first. */
function deployEvents({ vertices }: JobView): Event[] {
  const events: Event[] = [];
  const begun = new Map<string, { at: number; host: string }>();
  for (const { index, name, subtasks } of vertices)
    for (const subtask of subtasks) {
      const [containerId, at] = [lastTaskManagerOf(subtask), subtask['start-time']];
      if (containerId === undefined || at === undefined) continue;
      const host = hostOf(subtask) ?? '';
      if (at < (begun.get(containerId)?.at ?? Infinity)) begun.set(containerId, { at, host });
      const operatorId = operatorIdOf(index, subtask.subtask);
      const data = { operatorName: name, operatorId, containerId };
      const mark = `${operatorId} ${subtask.attempt}`;
      events.push(...eventOf('StartOperator', at, { ...data, attempt: subtask.attempt }, mark));
      const status = subtask.status;
      events.push(
        ...eventOf('StopOperator', subtask['end-time'], { ...data, attempt: subtask.attempt, status }, mark),
      );
    }
  for (const [containerId, { at, host }] of begun)
    events.push(...eventOf('StartContainer', at, { containerId, containerNodeId: host }, containerId));
  return events;
}

/** `Source: numbers (2/2) - execution #5`, or `... - execution #5` with the id of a vertex before it. */
const taskName = /^(.*) \((\d+)\/\d+\)(?: - execution #(\d+))?$/;

function errorEvent({ vertices }: JobView, exception: FlinkException): Event[] {
  const [, task = '', number = ''] = taskName.exec(exception.taskName ?? '') ?? [];
  const vertex = vertexOf(vertices, task);
  const errorMessage = exception.stacktrace;
  const containerId = exception.taskManagerId ?? '';
  const mark = `${exception.taskName ?? ''} ${exception.exceptionName}`;
  if (!vertex) {
    const data = { errorMessage, ...(containerId === '' ? {} : { containerId }) };
    return eventOf('JobError', exception.timestamp, data, mark);
  }
  const operatorId = operatorIdOf(vertex.index, Number(number) - 1);
  const data = { operatorName: vertex.name, operatorId, containerId, errorMessage };
  return eventOf('OperatorError', exception.timestamp, data, mark);
}

/** The only one of that name: of two nobody knows which it was. */
function vertexOf(vertices: readonly VertexView[], name: string): VertexView | undefined {
  const [first, ...others] = vertices.filter(({ vertex }) => vertex.name === name);
  return others.length === 0 ? first : undefined;
}

function checkpointEvent(checkpoint: FlinkCheckpoint): Event[] {
  const { id, is_savepoint, end_to_end_duration, state_size, external_path } = checkpoint;
  const data = {
    checkpointId: String(id),
    isSavepoint: is_savepoint,
    ...(typeof end_to_end_duration === 'number' ? { durationMillis: end_to_end_duration } : {}),
  };
  if (checkpoint.status === 'FAILED') {
    const reason = checkpoint.failure_message ?? '';
    return eventOf('CheckpointFailed', checkpoint.failure_timestamp, { ...data, reason }, String(id));
  }
  if (checkpoint.status !== 'COMPLETED') return [];
  const completed = {
    ...data,
    ...(typeof state_size === 'number' ? { stateBytes: state_size } : {}),
    ...(external_path ? { location: external_path } : {}),
  };
  return eventOf('CheckpointCompleted', checkpoint.latest_ack_timestamp, completed, String(id));
}

function rescaleEvent(rescale: FlinkRescale): Event[] {
  const { rescaleUuid: id, terminalState: outcome, terminatedReason: reason, triggerCause: cause } = rescale;
  if (!outcome) return [];
  return eventOf('JobRescaled', rescale.endTimestampInMillis, { rescaleId: id, outcome, reason, cause }, id);
}
