import { randomBytes } from 'node:crypto';

/** A vertex of the double, each subtask in a task manager. */
export interface DoubleVertex {
  readonly id: string;
  readonly name: string;
  /** Task manager of each subtask. */
  taskManagers: readonly string[];
  lowerBound: number;
}

/** A job of the double: a source, and maps behind it, one after the other. Its figures grow with the time. */
export interface DoubleJob {
  readonly id: string;
  readonly name: string;
  readonly startedAt: number;
  readonly vertices: readonly DoubleVertex[];
  state: string;
  endedAt: number;
  /** How often it was restarted. */
  attempt: number;
  /** As `/jobs/:id/exceptions` tells them, the newest first. */
  readonly exceptions: object[];
  readonly checkpoints: Record<string, unknown>[];
  /** As `/jobs/:id/rescales/history` tells them. */
  readonly rescales: object[];
  /** A batch job does not. */
  makesCheckpoints: boolean;
  /** Whether checkpoints outlive the job. */
  retention: { readonly enabled: boolean; readonly delete_on_cancellation: boolean };
  /** Trigger to where it is to be, of those that were ordered. */
  readonly savepoints: Map<string, string>;
  /** What the next savepoint comes to. Default: it is there when it is asked for. */
  savepoint: 'made' | 'fails' | 'takes long';
  /** Bodies of the stops that were ordered. */
  readonly stops: { readonly drain?: boolean }[];
  /** Operators, one behind the other, that there are no vertices of yet, as in a batch job since 2.0. */
  readonly pending: string[];
  /** Milliseconds of each second that the source is held up. */
  backPressured: number;
}

const ended = new Set(['FINISHED', 'CANCELED', 'FAILED']);
export const hasEnded = ({ state }: DoubleJob): boolean => ended.has(state);

const hex = () => randomBytes(16).toString('hex');

/** How large a job is: a source and a map, of one subtask each, unless it is told otherwise. */
export interface JobSize {
  readonly vertices?: number;
  readonly parallelism?: number;
}

export const newJob = (
  name: string,
  taskManagers: readonly string[],
  { id = hex(), vertices = 2, parallelism = 1 }: JobSize & { readonly id?: string | undefined } = {},
): DoubleJob => ({
  id,
  name,
  startedAt: Date.now(),
  vertices: Array.from({ length: vertices }, (_, index) => ({
    id: hex(),
    name: ['Source: numbers', 'plus one'][index] ?? `plus ${index}`,
    taskManagers: Array.from(
      { length: parallelism },
      (_, subtask) => taskManagers[(index + subtask) % taskManagers.length] ?? '',
    ),
    lowerBound: 1,
  })),
  state: 'RUNNING',
  endedAt: -1,
  attempt: 0,
  exceptions: [],
  checkpoints: [],
  rescales: [],
  makesCheckpoints: true,
  retention: { enabled: false, delete_on_cancellation: true },
  savepoints: new Map(),
  savepoint: 'made',
  stops: [],
  pending: [],
  backPressured: 0,
});

const perSecond = 100;
/** So that they grow in a test without waiting for seconds. */
const recordsOf = (job: DoubleJob): number =>
  1 + Math.floor((((hasEnded(job) ? job.endedAt : Date.now()) - job.startedAt) * perSecond) / 1000);

const statusOf = (job: DoubleJob): string =>
  ({ FINISHED: 'FINISHED', CANCELED: 'CANCELED', FAILED: 'FAILED', RUNNING: 'RUNNING' })[job.state] ??
  'SCHEDULED';

const times = (job: DoubleJob) => ({
  'start-time': job.startedAt,
  'end-time': job.endedAt,
  duration: (hasEnded(job) ? job.endedAt : Date.now()) - job.startedAt,
});

export function listedJob(job: DoubleJob) {
  const total = job.vertices.reduce((sum, { taskManagers }) => sum + taskManagers.length, 0);
  return {
    jid: job.id,
    name: job.name,
    ...times(job),
    state: job.state,
    'last-modification': job.startedAt,
    tasks: { running: hasEnded(job) ? 0 : total, total, failed: 0 },
  };
}

const counted = (job: DoubleJob, index: number) => ({
  'read-bytes': 0,
  'read-bytes-complete': true,
  'read-records': index === 0 ? 0 : recordsOf(job),
  'read-records-complete': true,
  'write-records': index === 0 ? recordsOf(job) : 0,
  'write-records-complete': true,
  'accumulated-busy-time': 'NaN',
});

export const jobDetail = (job: DoubleJob) => ({
  ...listedJob(job),
  isStoppable: false,
  'job-type': 'STREAMING',
  maxParallelism: -1,
  now: Date.now(),
  timestamps: {
    INITIALIZING: job.startedAt,
    CREATED: job.startedAt,
    RUNNING: job.startedAt + 1,
    FAILED: 0,
    RESTARTING: job.attempt === 0 ? 0 : job.startedAt + job.attempt,
    ...(hasEnded(job) ? { [job.state]: job.endedAt } : {}),
  },
  vertices: job.vertices.map(({ id, name, taskManagers }, index) => ({
    id,
    name,
    maxParallelism: 128,
    parallelism: taskManagers.length,
    status: statusOf(job),
    ...times(job),
    tasks: { [statusOf(job)]: taskManagers.length },
    metrics: counted(job, index),
  })),
  plan: {
    jid: job.id,
    name: job.name,
    type: 'STREAMING',
    nodes: job.vertices
      .map(({ id, name, taskManagers }, index) => {
        const before = job.vertices[index - 1];
        const input = { num: 0, id: before?.id, ship_strategy: 'HASH', exchange: 'pipelined_bounded' };
        return {
          id,
          parallelism: taskManagers.length,
          operator: '',
          description: `${name}<br/>`,
          ...(before ? { inputs: [input] } : {}),
        };
      })
      .toReversed(),
  },
  ...(job.pending.length > 0 ? { 'stream-graph': { nodes: streamNodes(job) } } : {}),
});

const streamNodes = (job: DoubleJob) => {
  const made = job.vertices.map(({ name, id }) => ({ name, job_vertex_id: id }));
  const all = [...made, ...job.pending.map((name) => ({ name }))];
  return all.map(({ name, ...vertex }, index) => ({
    id: String(index + 10),
    parallelism: -1,
    operator: name,
    description: `${name} at work`,
    ...vertex,
    inputs:
      index === 0 ? [] : [{ num: 0, id: String(index + 9), ship_strategy: 'HASH', exchange: 'UNDEFINED' }],
  }));
};

/** `undefined`: there is no such vertex. */
export function vertexDetail(job: DoubleJob, vertexId: string) {
  const index = job.vertices.findIndex(({ id }) => id === vertexId);
  const vertex = job.vertices[index];
  return (
    vertex && {
      id: vertex.id,
      name: vertex.name,
      parallelism: vertex.taskManagers.length,
      now: Date.now(),
      subtasks: vertex.taskManagers.map((_, subtask) => attemptDetail(job, vertex, subtask, job.attempt)),
    }
  );
}

export const attemptDetail = (job: DoubleJob, vertex: DoubleVertex, subtask: number, attempt: number) => ({
  subtask,
  status: attempt < job.attempt ? 'FAILED' : statusOf(job),
  attempt,
  endpoint: '127.0.0.1:38821',
  'taskmanager-id': vertex.taskManagers[subtask],
  ...times(job),
  metrics: counted(job, job.vertices.indexOf(vertex)),
});

/** `names`: `0.numRecordsInPerSecond`. What is not measured is left out, as Flink does. */
export function metricsOf(job: DoubleJob, vertexId: string, names: readonly string[]) {
  const vertex = job.vertices.find(({ id }) => id === vertexId);
  const isSource = vertex === job.vertices[0];
  const values: Readonly<Record<string, number>> = {
    numRecordsIn: isSource ? 0 : recordsOf(job),
    numRecordsOut: isSource ? recordsOf(job) : 0,
    numRecordsInPerSecond: isSource ? 0 : perSecond,
    numRecordsOutPerSecond: isSource ? perSecond : 0,
    busyTimeMsPerSecond: 250,
    backPressuredTimeMsPerSecond: isSource ? job.backPressured : 0,
    idleTimeMsPerSecond: 750,
    numBytesInPerSecond: 1024,
    numBytesOutPerSecond: 2048,
    currentInputWatermark: Number.MIN_SAFE_INTEGER,
  };
  if (hasEnded(job)) return [];
  return names.flatMap((name) => {
    const [, subtask = '', metric = ''] = /^(\d+)\.(.+)$/.exec(name) ?? [];
    const value = values[metric];
    const isThere = vertex?.taskManagers[Number(subtask)] !== undefined;
    return isThere && value !== undefined ? [{ id: name, value: String(value) }] : [];
  });
}

/** Where the last one that was ordered is to be. */
export const savepointOf = ({ savepoints }: DoubleJob): string => [...savepoints.values()].at(-1) ?? '';

/** One more is ordered, which Flink's history tells of. Returns its trigger. */
export function orderSavepoint(
  job: DoubleJob,
  { directory = 'file:/savepoints', format = 'CANONICAL', isOfStop = false },
): string {
  const trigger = hex();
  const location = `${directory}/savepoint-${job.id.slice(0, 6)}-${trigger.slice(0, 12)}`;
  job.savepoints.set(trigger, location);
  const at = Date.now();
  const id = job.checkpoints.length + 1;
  job.checkpoints.unshift({
    id,
    is_savepoint: true,
    savepointFormat: format,
    checkpoint_type: isOfStop ? 'SYNC_SAVEPOINT' : 'SAVEPOINT',
    trigger_timestamp: at,
    checkpointed_size: 2048,
    processed_data: 0,
    persisted_data: 0,
    num_subtasks: 2,
    tasks: {},
    get status() {
      return { made: 'COMPLETED', fails: 'FAILED', 'takes long': 'IN_PROGRESS' }[job.savepoint];
    },
    get latest_ack_timestamp() {
      return job.savepoint === 'made' ? at + 1 : -1;
    },
    get state_size() {
      return job.savepoint === 'made' ? 4096 : 0;
    },
    get end_to_end_duration() {
      return job.savepoint === 'made' ? 1 : -1;
    },
    get external_path() {
      return job.savepoint === 'made' ? location : undefined;
    },
    get failure_timestamp() {
      return job.savepoint === 'fails' ? at + 1 : undefined;
    },
    get failure_message() {
      return job.savepoint === 'fails' ? 'The disk of savepoints is full' : undefined;
    },
  });
  return trigger;
}

/** What `/jobs/:id/checkpoints` tells. */
export function checkpointsTold({ checkpoints }: DoubleJob): object {
  const told: { status?: string; is_savepoint?: boolean }[] = checkpoints;
  const number = (wanted: string) => told.filter(({ status }) => status === wanted).length;
  const of = (fits: (one: (typeof told)[number]) => boolean) => told.find(fits) ?? null;
  return {
    counts: {
      total: told.length,
      in_progress: number('IN_PROGRESS'),
      completed: number('COMPLETED'),
      failed: number('FAILED'),
      restored: 0,
    },
    latest: {
      completed: of(({ status, is_savepoint }) => status === 'COMPLETED' && !is_savepoint),
      savepoint: of(({ status, is_savepoint }) => status === 'COMPLETED' && is_savepoint === true),
      failed: of(({ status }) => status === 'FAILED'),
      restored: null,
    },
    history: told,
  };
}

const failure = {
  class: 'java.util.concurrent.CompletionException',
  'stack-trace':
    'java.util.concurrent.CompletionException: org.apache.flink.util.FlinkException: no\n\tat A.b(A.java:1)\nCaused by: java.io.IOException: The disk of savepoints is full\n\tat C.d(C.java:2)\n',
};

/** What `/jobs/:id/savepoints/:trigger` tells. */
export function savepointStatus(job: DoubleJob, trigger: string): object {
  if (job.savepoint === 'takes long') return { status: { id: 'IN_PROGRESS' }, operation: null };
  const operation =
    job.savepoint === 'fails' ? { 'failure-cause': failure } : { location: job.savepoints.get(trigger) };
  return { status: { id: 'COMPLETED' }, operation };
}
