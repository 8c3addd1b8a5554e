import { randomBytes } from 'node:crypto';
import { type Answer, type Asked, type DoubleServer, serve } from '../yarn/server.js';
import { answers, type Route, trace } from './answers.js';
import { type DoubleJars, jarRoutes, newJars } from './jars.js';
import {
  attemptDetail,
  checkpointsTold,
  type DoubleJob,
  hasEnded,
  type JobSize,
  jobDetail,
  listedJob,
  metricsOf,
  newJob,
  orderSavepoint,
  savepointStatus,
  vertexDetail,
} from './job.js';
import { type DoubleProfiling, newProfiling, profilingRoutes } from './profiling.js';

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
  /** What becomes of the deletion of a savepoint by its trigger; `gone`: there are no files, `fails`: it can't be deleted. */
  readonly disposals: { outcome: 'done' | 'gone' | 'fails' | 'takes long'; readonly asked: string[] };
  readonly profiling: DoubleProfiling;
  start(name?: string, size?: JobSize): DoubleJob;
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
    'execution.checkpointing.savepoint-dir': 'file:/savepoints',
    'rest.flamegraph.enabled': 'true',
    'rest.profiling.enabled': 'true',
    'metrics.fetcher.update-interval': '100 ms',
    's3.access-key': 'AKIA',
    'security.ssl.key-password': 'hush',
  };
  const jars = newJars();
  const disposals: FlinkDouble['disposals'] = { outcome: 'done', asked: [] };
  const profiling = newProfiling();
  const answer = answering({ jobs, taskManagers, logs, settings, jars, disposals, profiling });
  const jobManagers = await Promise.all(Array.from({ length: managers }, () => serve(answer)));
  return {
    jobManagers,
    jobs,
    taskManagers,
    logs,
    settings,
    jars,
    disposals,
    profiling,
    start(name = 'contract', size = {}) {
      const job = newJob(name, ['tm1', 'tm2'], size);
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

type State = Pick<
  FlinkDouble,
  'jobs' | 'taskManagers' | 'logs' | 'settings' | 'jars' | 'disposals' | 'profiling'
>;

function answering(state: State): (asked: Asked) => Answer | Promise<Answer> {
  const routes = [
    ...clusterRoutes(state),
    ...processRoutes(state),
    ...jarRoutes(state),
    ...disposalRoutes(state),
    ...profilingRoutes(state),
    ...jobRoutes(state),
  ];
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
  /** Subtasks of different vertices share a slot, as Flink has it by default. */
  const slotsIn = (job: DoubleJob, id: string): number =>
    Math.max(...job.vertices.map((vertex) => vertex.taskManagers.filter((one) => one === id).length));
  const allocated = (id: string) =>
    [...jobs.values()].flatMap((job) =>
      Array.from({ length: hasEnded(job) ? 0 : slotsIn(job, id) }, () => ({
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

function disposalRoutes({ disposals }: State): Route[] {
  const triggers = new Set<string>();
  const failing = (name: string, message: string) => ({
    'failure-cause': {
      class: 'org.apache.flink.util.FlinkException',
      'stack-trace': `org.apache.flink.util.FlinkException: Could not dispose savepoint.${trace}\nCaused by: ${name}: ${message}${trace}\n`,
    },
  });
  const operations = {
    done: {},
    gone: failing('java.io.FileNotFoundException', 'Cannot find checkpoint or savepoint file/directory'),
    fails: failing('java.io.IOException', 'Permission denied'),
  };
  return [
    [
      'POST',
      /^\/savepoint-disposal$/,
      (_, { body }) => {
        const { 'savepoint-path': path }: { 'savepoint-path'?: string } = JSON.parse(body);
        if (path === undefined) return refused(400, 'Field savepoint-path must not be omitted or be null.');
        const trigger = randomBytes(16).toString('hex');
        triggers.add(trigger);
        disposals.asked.push(path);
        return json({ 'request-id': trigger }, 202);
      },
    ],
    [
      'GET',
      /^\/savepoint-disposal\/([^/]+)$/,
      ([trigger = '']) => {
        if (!triggers.has(trigger)) return notFound(`Operation under key ${trigger}`);
        const { outcome } = disposals;
        if (outcome === 'takes long') return json({ status: { id: 'IN_PROGRESS' }, operation: null });
        return json({ status: { id: 'COMPLETED' }, operation: operations[outcome] });
      },
    ],
  ];
}

const notAdaptive = refused(
  500,
  'Internal server error.',
  `<Exception on server side:\njava.util.concurrent.CompletionException: java.lang.UnsupportedOperationException: The DefaultScheduler does not support changing the parallelism without a job restart. This feature is currently only expected to work with the AdaptiveScheduler.${trace}\nEnd of exception on server side>`,
);

type Bounds = Readonly<Record<string, { parallelism: { lowerBound: number; upperBound: number } }>>;

/** At once, as it is where there are slots enough. */
function rescaled(job: DoubleJob, wanted: Bounds): Answer {
  const errors = job.vertices.flatMap(({ id }) => {
    const bounds = wanted[id]?.parallelism;
    if (!bounds) return [`The request is incomplete, missing job vertex [${id}] resource requirements.`];
    if (bounds.upperBound <= 128) return [];
    return [`The newly requested parallelism ${bounds.upperBound} exceeds its maximum parallelism 128.`];
  });
  if (errors.length > 0) return refused(400, ...errors);
  for (const vertex of job.vertices) {
    const { lowerBound = 1, upperBound = 1 } = wanted[vertex.id]?.parallelism ?? {};
    vertex.lowerBound = lowerBound;
    vertex.taskManagers = Array.from({ length: upperBound }, (_, index) => `tm${1 + (index % 2)}`);
  }
  return json({});
}

function jobRoutes({ jobs, settings }: State): Route[] {
  const isAdaptive = () => settings['jobmanager.scheduler'] === 'adaptive';
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
    get('', (job) => json({ ...jobDetail(job), ...(isAdaptive() ? { schedulerType: 'Adaptive' } : {}) })),
    get('/status', ({ state }) => json({ status: state })),
    get('/config', (job) =>
      json({ jid: job.id, 'execution-config': { 'job-parallelism': 1, 'user-config': { from: '1' } } }),
    ),
    get('/exceptions', ({ exceptions }) =>
      json({ 'root-exception': null, exceptionHistory: { entries: exceptions, truncated: false } }),
    ),
    get('/checkpoints', (job) =>
      job.makesCheckpoints
        ? json(checkpointsTold(job))
        : notFound('Checkpointing has not been enabled, and what it tells'),
    ),
    get('/rescales/history', ({ rescales }) => json(rescales)),
    get('/checkpoints/config', ({ retention }) =>
      json({ mode: 'exactly_once', interval: 2000, externalization: retention }),
    ),
    get('/resource-requirements', (job) =>
      isAdaptive()
        ? json(
            Object.fromEntries(
              job.vertices.map(({ id, lowerBound, taskManagers: { length: upperBound } }) => [
                id,
                { parallelism: { lowerBound, upperBound } },
              ]),
            ),
          )
        : notAdaptive,
    ),
    [
      'PUT',
      /^\/jobs\/([^/]+)\/resource-requirements$/,
      ofJob((job, _, { body }) => (isAdaptive() ? rescaled(job, JSON.parse(body)) : notAdaptive)),
    ],
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
      ofJob((job, _, { body }) => {
        const asked: { drain?: boolean } = JSON.parse(body);
        job.stops.push(asked);
        const trigger = orderSavepoint(job, { isOfStop: true });
        if (job.savepoint === 'made') endJob(job, 'FINISHED');
        return json({ 'request-id': trigger }, 202);
      }),
    ],
    [
      'POST',
      /^\/jobs\/([^/]+)\/savepoints$/,
      ofJob((job, _, { body }) => {
        const asked: { 'target-directory'?: string; formatType?: string } = JSON.parse(body);
        const directory = asked['target-directory'] ?? settings['execution.checkpointing.savepoint-dir'];
        if (directory === undefined)
          return refused(
            400,
            'Config key [execution.checkpointing.savepoint-dir] is not set. Property [target-directory] must be provided.',
          );
        return json({ 'request-id': orderSavepoint(job, { directory, format: asked.formatType }) }, 202);
      }),
    ],
    get('/savepoints/([^/]+)', (job, [trigger = '']) =>
      job.savepoints.has(trigger) ? json(savepointStatus(job, trigger)) : notFound(`Savepoint ${trigger}`),
    ),
  ];
}
