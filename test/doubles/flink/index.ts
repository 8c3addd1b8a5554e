import { randomBytes } from 'node:crypto';
import { type Answer, type Asked, type DoubleServer, serve } from '../yarn/server.js';
import { answers, type Route, trace } from './answers.js';
import { type DoubleJars, jarRoutes, newJars } from './jars.js';
import {
  attemptDetail,
  checkpointsOf,
  type DoubleJob,
  hasEnded,
  jobDetail,
  listedJob,
  metricsOf,
  newJob,
  savepointStatus,
  vertexDetail,
} from './job.js';

/** A JobManager with two task managers, on the loopback: what its REST API answers, and nothing that runs. */
export interface FlinkDouble {
  /** As many as were wanted; each answers for the one that leads. */
  readonly jobManagers: readonly DoubleServer[];
  readonly jobs: Map<string, DoubleJob>;
  /** Those that the JobManager has; `tm1` and `tm2` at first. */
  readonly taskManagers: Set<string>;
  /** Log to its text, of every process. */
  readonly logs: Map<string, string>;
  /** What the JobManager is set up with. */
  readonly settings: Record<string, string>;
  readonly jars: DoubleJars;
  start(name?: string): DoubleJob;
  end(job: DoubleJob, state: 'FINISHED' | 'CANCELED' | 'FAILED'): void;
  close(): Promise<void>;
}

const { json, refused, notFound } = answers;

export async function flinkDouble({
  managers = 1,
}: {
  readonly managers?: number;
} = {}): Promise<FlinkDouble> {
  const jobs = new Map<string, DoubleJob>();
  const taskManagers = new Set(['tm1', 'tm2']);
  const logs = new Map([['flink.log', 'a line\nanother line\n'.repeat(50)]]);
  const settings: Record<string, string> = {
    'taskmanager.numberOfTaskSlots': '2',
    's3.access-key': 'AKIA',
    'security.ssl.key-password': 'hush',
  };
  const jars = newJars();
  const answer = answering({ jobs, taskManagers, logs, settings, jars });
  const jobManagers = await Promise.all(Array.from({ length: managers }, () => serve(answer)));
  return {
    jobManagers,
    jobs,
    taskManagers,
    logs,
    settings,
    jars,
    start(name = 'contract') {
      const job = newJob(name, ['tm1', 'tm2']);
      jobs.set(job.id, job);
      return job;
    },
    end: endJob,
    close: async () => {
      for (const server of jobManagers) await server.stop();
    },
  };
}

function endJob(job: DoubleJob, state: string): void {
  if (hasEnded(job)) return;
  job.state = state;
  job.endedAt = Date.now();
}

type State = Pick<FlinkDouble, 'jobs' | 'taskManagers' | 'logs' | 'settings' | 'jars'>;

function answering(state: State): (asked: Asked) => Answer | Promise<Answer> {
  const routes = [...clusterRoutes(state), ...processRoutes(state), ...jarRoutes(state), ...jobRoutes(state)];
  return (asked) => {
    for (const [method, path, answer] of routes) {
      const match = path.exec(asked.path);
      if (match && method === asked.method) return answer(match.slice(1), asked);
    }
    return refused(404, `Unable to load requested file ${asked.path}.`);
  };
}

const clusterRoutes = ({ jobs, taskManagers, settings, jars }: State): Route[] => [
  [
    'GET',
    /^\/config$/,
    () =>
      json({
        'refresh-interval': 100,
        'flink-version': jars.version,
        'flink-revision': 'c0f8d1a @ 2026-06-14T16:29:03+02:00',
      }),
  ],
  [
    'GET',
    /^\/overview$/,
    () => {
      const running = [...jobs.values()].filter((job) => !hasEnded(job)).length;
      return json({
        taskmanagers: taskManagers.size,
        'slots-total': 4,
        'slots-available': Math.max(0, 4 - 2 * running),
        'jobs-running': running,
        'jobs-finished': 0,
        'jobs-cancelled': jobs.size - running,
        'jobs-failed': 0,
      });
    },
  ],
  [
    'GET',
    /^\/jobmanager\/config$/,
    () => json(Object.entries(settings).map(([key, value]) => ({ key, value }))),
  ],
  ['GET', /^\/jobs\/overview$/, () => json({ jobs: [...jobs.values()].map(listedJob) })],
];

const thread = (name: string, id: number) => ({
  threadName: name,
  stringifiedThreadInfo: `"${name}" Id=${id} WAITING on java.lang.Object@1\n\tat java.lang.Object.wait(Native Method)\n\t-  waiting on it\n\tat Main.main(Main.java:1)\n\n`,
});

function processRoutes({ jobs, taskManagers, logs }: State): Route[] {
  const detail = (id: string) => ({
    id,
    path: 'pekko.tcp://flink@127.0.0.1:39631/user/rpc/taskmanager_0',
    timeSinceLastHeartbeat: Date.now(),
    slotsNumber: 2,
    freeSlots: 1,
    hardware: { cpuCores: 2, physicalMemory: 1 },
    memoryConfiguration: { totalProcessMemory: 1024 * 1024 * 1024 },
  });
  const allocated = (id: string) =>
    [...jobs.values()].flatMap((job) =>
      hasEnded(job)
        ? []
        : job.vertices
            .filter((vertex) => vertex.taskManagers.includes(id))
            .map(() => ({
              jobId: job.id,
              resource: { cpuCores: 0.5, taskHeapMemory: 96, managedMemory: 16 },
            })),
    );
  const process = '(jobmanager|taskmanagers/[^/]+)';
  const ofProcess = (path: string, make: () => Answer): Answer =>
    path === 'jobmanager' || taskManagers.has(path.split('/')[1] ?? '') ? make() : unknownTaskManager(path);
  return [
    ['GET', /^\/taskmanagers$/, () => json({ taskmanagers: [...taskManagers].map(detail) })],
    ['GET', /^\/(?:jobmanager|taskmanagers)\/metrics$/, () => json([])],
    [
      'GET',
      /^\/taskmanagers\/([^/]+)$/,
      ([id = '']) =>
        taskManagers.has(id)
          ? json({
              ...detail(id),
              allocatedSlots: allocated(id),
              metrics: {
                heapUsed: 256 * 1024 * 1024,
                heapMax: 512 * 1024 * 1024,
                garbageCollectors: [
                  { name: 'All', count: 6, time: 228 },
                  { name: 'G1_Young_Generation', count: 6, time: 228 },
                ],
              },
            })
          : unknownTaskManager(id),
    ],
    [
      'GET',
      new RegExp(`^/${process}/thread-dump$`),
      ([path = '']) =>
        ofProcess(path, () => json({ threadInfos: [thread('main', 1), thread('a "b" c', 2)] })),
    ],
    [
      'GET',
      new RegExp(`^/${process}/logs$`),
      ([path = '']) =>
        ofProcess(path, () =>
          json({
            logs: [...logs].map(([name, text]) => ({ name, size: Buffer.byteLength(text), mtime: 1 })),
          }),
        ),
    ],
    [
      'GET',
      new RegExp(`^/${process}/logs/(.+)$`),
      ([path = '', name = '']) =>
        ofProcess(path, () => {
          const text = logs.get(name);
          if (text === undefined) return refused(500, 'Internal server error.', 'no such file');
          return { status: 200, headers: { 'content-type': 'text/plain' }, body: text };
        }),
    ],
  ];
}

const unknownTaskManager = (id: string): Answer =>
  refused(
    500,
    'Internal server error.',
    `<Exception on server side:\norg.apache.flink.runtime.resourcemanager.exceptions.UnknownTaskExecutorException: No TaskExecutor registered under ${id}.${trace}\nEnd of exception on server side>`,
  );

function jobRoutes({ jobs }: State): Route[] {
  const ofJob =
    (answer: (job: DoubleJob, parts: string[], asked: Asked) => Answer) =>
    ([id = '', ...parts]: string[], asked: Asked): Answer => {
      if (!/^[0-9a-f]{32}$/.test(id)) return refused(400, `Bad request, could not parse parameters${trace}`);
      const job = jobs.get(id);
      return job ? answer(job, parts, asked) : notFound(`Job ${id}`);
    };
  const get = (path: string, answer: Parameters<typeof ofJob>[0]): Route => [
    'GET',
    new RegExp(`^/jobs/([^/]+)${path}$`),
    ofJob(answer),
  ];
  const found = (value: object | undefined, what: string) => (value ? json(value) : notFound(what));
  return [
    get('', (job) => json(jobDetail(job))),
    get('/status', ({ state }) => json({ status: state })),
    get('/config', (job) =>
      json({ jid: job.id, 'execution-config': { 'job-parallelism': 1, 'user-config': { from: '1' } } }),
    ),
    get('/exceptions', ({ exceptions }) =>
      json({ 'root-exception': null, exceptionHistory: { entries: exceptions, truncated: false } }),
    ),
    get('/checkpoints', (job) => json(checkpointsOf(job))),
    get('/checkpoints/config', ({ retention }) =>
      json({ mode: 'exactly_once', interval: 2000, externalization: retention }),
    ),
    get('/vertices/([^/]+)', (job, [vertex = '']) => found(vertexDetail(job, vertex), vertex)),
    get('/vertices/([^/]+)/metrics', (job, [vertex = ''], { query }) =>
      json(metricsOf(job, vertex, (query.get('get') ?? '').split(','))),
    ),
    get('/vertices/([^/]+)/subtasks/(\\d+)/attempts/(\\d+)', (job, [id, subtask, attempt]) => {
      const vertex = job.vertices.find((one) => one.id === id);
      return found(vertex && attemptDetail(job, vertex, Number(subtask), Number(attempt)), 'the attempt');
    }),
    [
      'PATCH',
      /^\/jobs\/([^/]+)$/,
      ofJob((job) => {
        endJob(job, 'CANCELED');
        return json({}, 202);
      }),
    ],
    [
      'POST',
      /^\/jobs\/([^/]+)\/stop$/,
      ofJob((job) => {
        const trigger = randomBytes(16).toString('hex');
        job.savepoints.add(trigger);
        if (job.savepoint === 'made') endJob(job, 'FINISHED');
        return json({ 'request-id': trigger }, 202);
      }),
    ],
    get('/savepoints/([^/]+)', (job, [trigger = '']) =>
      job.savepoints.has(trigger) ? json(savepointStatus(job)) : notFound(`Savepoint ${trigger}`),
    ),
  ];
}
