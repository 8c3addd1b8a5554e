import type * as z from 'zod';
import {
  AverageLoad,
  Configuration,
  Overview,
  Settings,
  TaskManagerDetail,
  TaskManagers,
} from './cluster-shapes.js';
import { Job, JobConfiguration, JobsOverview } from './job-shapes.js';
import { type Polled, type Polling, polled } from './polled.js';
import { MetricValues, Vertex } from './vertex-shapes.js';

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
  readonly taskManagers: Polled<z.output<typeof TaskManagers>>;
  readonly taskManager: Polled<TaskManagerDetail, [id: string]>;
  readonly jobManagerMetrics: Polled<z.output<typeof MetricValues>, [names: string]>;
  /** Of the processors of all task managers, from 0 to 1. */
  readonly clusterLoad: Polled<z.output<typeof AverageLoad>>;
}

/** Beats for which answers are good that change with a restart of the JobManager, if ever. */
const lasting = 10;
const segment = encodeURIComponent;

export const createResources = (polling: Polling): Resources => ({
  configuration: polled(polling, Configuration, () => '/config', lasting),
  overview: polled(polling, Overview, () => '/overview'),
  settings: polled(polling, Settings, () => '/jobmanager/config', lasting),
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
  ),
  vertexMetrics: polled(
    polling,
    MetricValues,
    (job: string, vertex: string, names: string) =>
      `/jobs/${segment(job)}/vertices/${segment(vertex)}/metrics?get=${names}`,
  ),
  taskManagers: polled(polling, TaskManagers, () => '/taskmanagers'),
  taskManager: polled(polling, TaskManagerDetail, (id: string) => `/taskmanagers/${segment(id)}`),
  jobManagerMetrics: polled(polling, MetricValues, (names: string) => `/jobmanager/metrics?get=${names}`),
  clusterLoad: polled(polling, AverageLoad, () => '/taskmanagers/metrics?get=Status.JVM.CPU.Load'),
});
