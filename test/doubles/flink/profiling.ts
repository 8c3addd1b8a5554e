import type { Answer } from '../yarn/server.js';
import { answers, type Route, trace } from './answers.js';
import { type DoubleJob, hasEnded } from './job.js';

interface DoubleProfile {
  readonly mode: string;
  readonly triggerTime: number;
  readonly duration: number;
  readonly status: string;
  readonly finishedTime: number | null;
  readonly message: string | null;
  readonly outputFile: string | undefined;
}

/** What is measured by asking for it. */
export interface DoubleProfiling {
  /** Vertices that somebody has asked for a flame graph: the first question begins it. */
  readonly sampled: Set<string>;
  /** In place of what is measured; a text as it is. */
  flameGraph: object | string | undefined;
  /** `nothing yet`: as Flink fails of a vertex that has just begun. */
  backPressure: object | 'nothing yet' | undefined;
  /** What becomes of profiles. */
  outcome: 'finishes' | 'lasts' | 'fails' | 'takes long' | 'refused';
  /** Path of the process to its profiles, the newest first. */
  readonly profiles: Map<string, DoubleProfile[]>;
}

export const newProfiling = (): DoubleProfiling => ({
  sampled: new Set(),
  flameGraph: undefined,
  backPressure: undefined,
  outcome: 'finishes',
  profiles: new Map(),
});

interface State {
  readonly jobs: ReadonlyMap<string, DoubleJob>;
  readonly taskManagers: ReadonlySet<string>;
  readonly settings: Readonly<Record<string, string>>;
  readonly profiling: DoubleProfiling;
}

const { json, refused, notFound, failed } = answers;

const running = { name: 'Numbers$Make.map:41', value: 60, children: [] };
const waiting = { name: 'java.lang.Object.wait:-2', value: 40, children: [] };
const treeOf = (type: string | null) => {
  const children = { on_cpu: [running], off_cpu: [waiting] }[type ?? ''] ?? [waiting, running];
  const value = children.reduce((sum, child) => sum + child.value, 0);
  return { name: 'root', value, children: [{ name: 'java.lang.Thread.run:840', value, children }] };
};

/** A page as the profiler writes it. */
export const profilePage = '<!DOCTYPE html><html><body><script>draw()</script>Numbers</body></html>';

export function profilingRoutes({ jobs, taskManagers, settings, profiling }: State): Route[] {
  const ofVertex =
    (answer: (job: DoubleJob, vertex: string, query: URLSearchParams) => object | string): Route[2] =>
    ([id = '', vertex = ''], { query }) => {
      const job = jobs.get(id);
      if (!job?.vertices.some((one) => one.id === vertex)) return notFound(`Vertex ${vertex}`);
      const told = answer(job, vertex, query);
      return typeof told === 'string' ? { ...json({}), body: told } : json(told);
    };
  return [
    [
      'GET',
      /^\/jobs\/([^/]+)\/vertices\/([^/]+)\/flamegraph$/,
      ofVertex((job, vertex, query) => {
        if (settings['rest.flamegraph.enabled'] !== 'true') return { endTimestamp: -2 };
        if (hasEnded(job)) return { endTimestamp: -1 };
        if (profiling.flameGraph) return profiling.flameGraph;
        const asked = `${vertex} ${query.get('subtaskindex')}`;
        if (!profiling.sampled.has(asked)) {
          profiling.sampled.add(asked);
          return { endTimestamp: -3 };
        }
        return { endTimestamp: Date.now(), data: treeOf(query.get('type')) };
      }),
    ],
    [
      'GET',
      /^\/jobs\/([^/]+)\/vertices\/([^/]+)\/backpressure$/,
      (parts, asked) =>
        profiling.backPressure === 'nothing yet'
          ? failed('java.util.NoSuchElementException: No value present')
          : ofVertex((job, vertex) => profiling.backPressure ?? backPressureOf(job, vertex))(parts, asked),
    ],
    ...profilerRoutes({ taskManagers, settings, profiling }),
  ];
}

function backPressureOf(job: DoubleJob, vertexId: string): object {
  const index = job.vertices.findIndex(({ id }) => id === vertexId);
  const ratio = index === 0 ? job.backPressured / 1000 : 0;
  const level = ratio > 0.5 ? 'high' : ratio > 0.1 ? 'low' : 'ok';
  return {
    status: 'ok',
    backpressureLevel: level,
    'backpressure-level': level,
    'end-timestamp': Date.now(),
    subtasks: job.vertices[index]?.taskManagers.map((_, subtask) => ({
      subtask,
      backpressureLevel: level,
      'backpressure-level': level,
      ratio,
      busyRatio: 0.25,
      idleRatio: 'NaN',
    })),
  };
}

function profilerRoutes({ taskManagers, settings, profiling }: Omit<State, 'jobs'>): Route[] {
  const ofProcess =
    (answer: (process: string, ...more: Parameters<Route[2]>) => Answer): Route[2] =>
    ([process = '', ...parts], asked) => {
      if (settings['rest.profiling.enabled'] !== 'true')
        return refused(404, `Unable to load requested file ${asked.path}.`);
      const [, id] = process.split('/');
      if (id !== undefined && !taskManagers.has(id)) return notFound(`TaskExecutor ${id}`);
      return answer(process, parts, asked);
    };
  const listed = (process: string) => profiling.profiles.get(process) ?? [];
  return [
    [
      'GET',
      /^\/(jobmanager|taskmanagers\/[^/]+)\/profiler$/,
      ofProcess((process) => json({ profilingList: listed(process) })),
    ],
    [
      'POST',
      /^\/(jobmanager|taskmanagers\/[^/]+)\/profiler$/,
      ofProcess((process, _, { body }) => {
        const { mode, duration }: { mode: string; duration: number } = JSON.parse(body);
        if (duration > 120)
          return failed('java.lang.IllegalArgumentException: `duration` must be set between (0s, 120s].');
        if (listed(process).some(({ status }) => status === 'RUNNING'))
          return failed(`java.lang.IllegalStateException: ${process} is still under profiling.`);
        const profile = newProfile(profiling, mode, duration);
        profiling.profiles.set(process, [profile, ...listed(process)]);
        return json(
          profiling.outcome === 'finishes' ? { ...profile, status: 'RUNNING', finishedTime: null } : profile,
        );
      }),
    ],
    [
      'GET',
      /^\/(jobmanager|taskmanagers\/[^/]+)\/profiler\/(.+)$/,
      ofProcess((process, [file]) =>
        listed(process).some(({ outputFile }) => outputFile === file)
          ? { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: profilePage }
          : notFound(`File ${file}`),
      ),
    ],
  ];
}

/** Of `lasts`: so that others are refused meanwhile, and a test need not wait for seconds. */
const lastsMillis = 500;

function newProfile(profiling: DoubleProfiling, mode: string, duration: number): DoubleProfile {
  const triggerTime = Date.now();
  const hasFailed = profiling.outcome === 'refused';
  let ended: 'FAILED' | 'FINISHED' | undefined;
  const is = () => {
    const hasLasted = profiling.outcome === 'lasts' && Date.now() >= triggerTime + lastsMillis;
    if (hasFailed || profiling.outcome === 'fails') ended ??= 'FAILED';
    else if (hasLasted || profiling.outcome === 'finishes') ended ??= 'FINISHED';
    return ended ?? 'RUNNING';
  };
  return {
    mode,
    triggerTime,
    duration,
    get status() {
      return is();
    },
    get finishedTime() {
      return is() === 'RUNNING' ? null : triggerTime + 1;
    },
    get message() {
      if (is() !== 'FAILED') return null;
      return `Start profiler failed. java.lang.IllegalStateException: No access to perf events${trace}`;
    },
    get outputFile() {
      return is() === 'FINISHED' ? `tm_${mode}_${triggerTime}.html` : undefined;
    },
  };
}
