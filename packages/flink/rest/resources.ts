import type * as z from 'zod';
import {
  AverageLoad,
  Configuration,
  Overview,
  Settings,
  TaskManagerDetail,
  TaskManagers,
} from './cluster-shapes.js';
import { type FlameGraphAnswer, flameGraphAnswer } from './frames.js';
import { Checkpoints, Exceptions, Rescales } from './history-shapes.js';
import { Job, JobConfiguration, JobsOverview } from './job-shapes.js';
import { metricsAreGood, updateMillisOf } from './metric-updates.js';
import { type Polled, type Polling, polled } from './polled.js';
import { Logs, Profiles, Threads } from './process-shapes.js';
import { Requirements } from './requirement-shapes.js';
import { BackPressureAnswer, MetricValues, Subtask, Vertex } from './vertex-shapes.js';

/** Everything that is read again and again, each path in one place. */
export interface Resources {
  readonly configuration: Polled<z.output<typeof Configuration>>;
  readonly overview: Polled<z.output<typeof Overview>>;
  readonly settings: Polled<z.output<typeof Settings>>;
  readonly jobs: Polled<z.output<typeof JobsOverview>>;
  readonly job: Polled<Job, [job: string]>;
  readonly jobConfiguration: Polled<z.output<typeof JobConfiguration>, [job: string]>;
  readonly vertex: Polled<z.output<typeof Vertex>, [job: string, vertex: string]>;
  /** `names`: with commas between them, `0.numRecordsIn,1.numRecordsIn`. */
  readonly vertexMetrics: Polled<z.output<typeof MetricValues>, [job: string, vertex: string, names: string]>;
  readonly backPressure: Polled<z.output<typeof BackPressureAnswer>, [job: string, vertex: string]>;
  /** `query`: `type=full`, and `&subtaskindex=0` for one subtask alone. */
  readonly flameGraph: Polled<FlameGraphAnswer, [job: string, vertex: string, query: string]>;
  readonly attempt: Polled<Subtask, [job: string, vertex: string, subtask: string, attempt: string]>;
  readonly exceptions: Polled<z.output<typeof Exceptions>, [job: string]>;
  readonly checkpoints: Polled<z.output<typeof Checkpoints>, [job: string]>;
  readonly rescales: Polled<z.output<typeof Rescales>, [job: string]>;
  /** Rejects with `Conflict` (`PARALLELISM_FIXED`) where the scheduler does not change any. */
  readonly requirements: Polled<Requirements, [job: string]>;
  readonly taskManagers: Polled<z.output<typeof TaskManagers>>;
  readonly taskManager: Polled<TaskManagerDetail, [id: string]>;
  /** `process`: `jobManagerPath`, or that of a task manager. */
  readonly logs: Polled<z.output<typeof Logs>, [process: string]>;
  readonly threads: Polled<z.output<typeof Threads>, [process: string]>;
  readonly profiles: Polled<z.output<typeof Profiles>, [process: string]>;
  readonly jobManagerMetrics: Polled<z.output<typeof MetricValues>, [names: string]>;
  /** Of the processors of all task managers, from 0 to 1. */
  readonly clusterLoad: Polled<z.output<typeof AverageLoad>>;
}

/** Beats for which answers are good that change with a restart of the JobManager, if ever. */
const lastingBeats = 10;
/** Answers that are kept of a kind of which each is large. */
const fewAnswers = 20;
const segment = encodeURIComponent;

/** Of the JobManager itself. */
export const jobManagerPath = '/jobmanager';
export const taskManagerPath = (id: string): string => `/taskmanagers/${segment(id)}`;
export const profilesPath = (process: string): string => `${process}/profiler`;
export const profilePath = (process: string, fileName: string): string =>
  `${profilesPath(process)}/${segment(fileName)}`;
export const logPath = (process: string, logName: string): string => `${process}/logs/${segment(logName)}`;

export function createResources(polling: Polling & { readonly frames: number }): Resources {
  const lasting = () => lastingBeats * polling.pollMillis;
  const settings = polled(polling, Settings, () => '/jobmanager/config', lasting);
  return {
    configuration: polled(polling, Configuration, () => '/config', lasting),
    overview: polled(polling, Overview, () => '/overview'),
    settings,
    jobs: polled(polling, JobsOverview, () => '/jobs/overview'),
    job: polled(polling, Job, (job: string) => `/jobs/${segment(job)}`),
    jobConfiguration: polled(
      polling,
      JobConfiguration,
      (job: string) => `/jobs/${segment(job)}/config`,
      lasting,
    ),
    vertex: polled(
      polling,
      Vertex,
      (job: string, vertex: string) => `/jobs/${segment(job)}/vertices/${segment(vertex)}`,
      lasting,
    ),
    vertexMetrics: polled(
      polling,
      MetricValues,
      (job: string, vertex: string, names: string) =>
        `/jobs/${segment(job)}/vertices/${segment(vertex)}/metrics?get=${names}`,
      metricsAreGood({
        ...polling,
        updateMillis: async () => updateMillisOf(await settings.get()),
      }),
    ),
    backPressure: polled(
      polling,
      BackPressureAnswer,
      (job: string, vertex: string) => `/jobs/${segment(job)}/vertices/${segment(vertex)}/backpressure`,
    ),
    flameGraph: polled(
      { ...polling, answers: fewAnswers },
      flameGraphAnswer(polling.frames),
      (job: string, vertex: string, query: string) =>
        `/jobs/${segment(job)}/vertices/${segment(vertex)}/flamegraph?${query}`,
    ),
    attempt: polled(
      polling,
      Subtask,
      (job: string, vertex: string, subtask: string, attempt: string) =>
        `/jobs/${segment(job)}/vertices/${segment(vertex)}/subtasks/${segment(subtask)}/attempts/${segment(attempt)}`,
      lasting,
    ),
    exceptions: polled(polling, Exceptions, (job: string) => `/jobs/${segment(job)}/exceptions`),
    checkpoints: polled(polling, Checkpoints, (job: string) => `/jobs/${segment(job)}/checkpoints`),
    rescales: polled(polling, Rescales, (job: string) => `/jobs/${segment(job)}/rescales/history`),
    requirements: polled(
      polling,
      Requirements,
      (job: string) => `/jobs/${segment(job)}/resource-requirements`,
    ),
    taskManagers: polled(polling, TaskManagers, () => '/taskmanagers'),
    taskManager: polled(polling, TaskManagerDetail, (id: string) => `/taskmanagers/${segment(id)}`),
    logs: polled(polling, Logs, (process: string) => `${process}/logs`),
    threads: polled(polling, Threads, (process: string) => `${process}/thread-dump`),
    profiles: polled(polling, Profiles, profilesPath),
    jobManagerMetrics: polled(polling, MetricValues, (names: string) => `/jobmanager/metrics?get=${names}`),
    clusterLoad: polled(polling, AverageLoad, () => '/taskmanagers/metrics?get=Status.JVM.CPU.Load'),
  };
}
