import {
  type Container,
  type LogicalOperator,
  type LogicalPlan,
  type MasterInfo,
  onceOf,
  type PhysicalPlan,
  type PhysOperator,
} from 'headgate/driver-kit';
import { allocationsOf, type TaskManagerDetails } from '../jobs/allocations.js';
import { checkpointsOf } from '../jobs/checkpoints.js';
import { hasEnded, statesOf } from '../jobs/states.js';
import type { Resources } from '../rest/resources.js';
import { checkpointAgeOf } from './checkpoints.js';
import { containersOf } from './containers.js';
import { attributesOf, infoOf, statsOf } from './info.js';
import { type JobView, type JobViews, readGraph } from './job-view.js';
import { logicalOperatorsOf, logicalPlanOf } from './logical.js';
import { physicalOperators, physicalStreams } from './physical.js';
import type { SeenTaskManager, TaskManagerBook } from './task-managers.js';

interface JobLook {
  readonly view: JobView;
  readonly operators: readonly PhysOperator[];
  readonly logical: readonly LogicalOperator[];
  readonly taskManagers: readonly SeenTaskManager[];
}

/** What can be seen of a job, put together of answers that others may have asked for in the same beat: then it is the same object. */
export interface Observer {
  info(jobId: string): Promise<MasterInfo>;
  attributes(jobId: string): Promise<Record<string, unknown>>;
  physicalPlan(jobId: string): Promise<PhysicalPlan>;
  logicalPlan(jobId: string): Promise<LogicalPlan>;
  logicalOperators(jobId: string): Promise<readonly LogicalOperator[]>;
  containers(jobId: string): Promise<readonly Container[]>;
  /** Ids of those that the JobManager has now. */
  liveTaskManagers(): Promise<ReadonlySet<string>>;
  /** All of it, as of one beat. */
  look(jobId: string): Promise<JobLook>;
}

const jobManagerMetrics = ['Heap.Used', 'Heap.Max']
  .map((name) => `Status.JVM.Memory.${name}`)
  .concat(['Time', 'Count'].map((name) => `Status.JVM.GarbageCollector.All.${name}`))
  .join();

export function createObserver(deps: {
  readonly resources: Resources;
  readonly views: JobViews;
  readonly book: TaskManagerBook;
  readonly details: TaskManagerDetails;
  /** Base URL of the JobManager. */
  readonly jobManager: () => string;
}): Observer {
  const { resources } = deps;
  const look = createLook(deps);

  async function attributes(jobId: string): Promise<Record<string, unknown>> {
    const [job, { 'execution-config': execution }] = await Promise.all([
      resources.job.get(jobId),
      resources.jobConfiguration.get(jobId),
    ]);
    return attributesOf(job, execution);
  }

  const containers = onceOf(async ({ view, operators, taskManagers }: JobLook) => {
    // Where it does not tell, the rest is told.
    const metrics = await resources.jobManagerMetrics
      .get(jobManagerMetrics)
      .catch(() => new Map<string, number>());
    const { hostname } = new URL(deps.jobManager());
    return containersOf({
      view,
      operators,
      taskManagers,
      jobManager: { host: hostname, metrics },
      endedAt: hasEnded(statesOf(view.job.state)) ? (view.job['end-time'] ?? view.at) : undefined,
    });
  });

  const info = onceOf(async ({ view, operators, logical }: JobLook) => {
    const jobId = view.job.jid;
    const isOver = hasEnded(statesOf(view.job.state));
    const [details, configuration, known, checkpoints] = await Promise.all([
      deps.details.all(),
      resources.configuration.get(),
      attributes(jobId),
      // Where it does not tell, the rest is told.
      isOver ? undefined : checkpointsOf(resources, jobId).catch(() => undefined),
    ]);
    return infoOf({
      version: configuration['flink-version'],
      attributes: known,
      logical,
      stats: statsOf(
        operators,
        isOver ? undefined : allocationsOf(details).get(jobId),
        checkpoints && checkpointAgeOf(checkpoints, { startedAt: view.job['start-time'], now: view.at }),
      ),
    });
  });

  const physicalPlan = onceOf(async ({ view, operators }: JobLook) => ({
    operators: [...operators],
    streams: physicalStreams(view),
  }));

  return {
    attributes,
    look,
    info: async (jobId) => info(await look(jobId)),
    physicalPlan: async (jobId) => physicalPlan(await look(jobId)),

    logicalPlan: async (jobId) => logicalPlanOf(await readGraph(resources, jobId)),

    logicalOperators: async (jobId) => (await look(jobId)).logical,
    containers: async (jobId) => containers(await look(jobId)),
    async liveTaskManagers() {
      const { taskmanagers } = await resources.taskManagers.get();
      return new Set(taskmanagers.map(({ id }) => id));
    },
  };
}

/** Put together once of the same answers. */
function createLook({
  views,
  book,
}: {
  readonly views: JobViews;
  readonly book: TaskManagerBook;
}): (jobId: string) => Promise<JobLook> {
  const looks = new WeakMap<JobView, JobLook>();
  return async (jobId) => {
    const [view, taskManagers] = await Promise.all([views.read(jobId), book.read()]);
    const before = looks.get(view);
    if (before?.taskManagers === taskManagers) return before;
    const heartbeats = new Map(
      taskManagers.flatMap(({ detail }): [string, number][] =>
        typeof detail.timeSinceLastHeartbeat === 'number' ? [[detail.id, detail.timeSinceLastHeartbeat]] : [],
      ),
    );
    const operators = physicalOperators(view, heartbeats);
    const look = { view, operators, logical: logicalOperatorsOf(view, operators), taskManagers };
    looks.set(view, look);
    return look;
  };
}
