import { type Container, logsUrl, NotFound, type PhysOperator } from 'headgate/driver-kit';
import type { TaskManagerDetail } from '../rest/cluster-shapes.js';
import { jobManagerPath, taskManagerPath } from '../rest/resources.js';
import type { JobView } from './job-view.js';
import { hostOf, lastTaskManagerOf } from './physical.js';
import { hostIn, type SeenTaskManager } from './task-managers.js';

/** What the JobManager itself is called among the containers: it has no id of its own. */
export const jobManagerId = 'jobmanager';

/**
 * Path of the process that a container is; `undefined`: it is gone. `running`: container to whether it runs. Throws `NotFound` for one
 * that is none of those.
 */
export function processPathOf(
  running: ReadonlyMap<string, boolean>,
  containerId: string,
): string | undefined {
  const runs = running.get(containerId);
  if (runs === undefined) throw new NotFound('container', containerId);
  if (containerId === jobManagerId) return jobManagerPath;
  return runs ? taskManagerPath(containerId) : undefined;
}

interface ContainersOf {
  readonly view: JobView;
  readonly operators: readonly PhysOperator[];
  readonly taskManagers: readonly SeenTaskManager[];
  readonly jobManager: { readonly host: string; readonly metrics: ReadonlyMap<string, number> };
  /** Epoch milliseconds at which the job ended; `undefined`: it runs. */
  readonly endedAt: number | undefined;
}

/** The JobManager, task managers that the job has slots in or subtasks, and those that it had some in and that are gone. */
export function containersOf({
  view,
  operators,
  taskManagers,
  jobManager,
  endedAt,
}: ContainersOf): Container[] {
  const jobId = view.job.jid;
  const mentioned = hostsOfTaskManagers(view);
  const known = taskManagers.filter(
    ({ detail }) => mentioned.has(detail.id) || detail.allocatedSlots.has(jobId),
  );
  const ids = new Set(known.map(({ detail }) => detail.id));
  const all = [
    jobManagerContainer(jobManager),
    ...known.map((seen) => taskManagerContainer(seen, operators)),
    ...[...mentioned].filter(([id]) => !ids.has(id)).map(([id, host]) => unknownContainer(id, host)),
  ];
  return all.map((container) => ({
    ...(endedAt === undefined ? container : ended(container, endedAt)),
    containerLogsUrl: logsUrl(jobId, container.id),
  }));
}

/** Task manager to its host, of all that subtasks are or were in. */
function hostsOfTaskManagers({ vertices }: JobView): ReadonlyMap<string, string> {
  const hosts = new Map<string, string>();
  for (const { subtasks } of vertices)
    for (const subtask of subtasks) {
      const id = lastTaskManagerOf(subtask);
      if (id !== undefined) hosts.set(id, hostOf(subtask) ?? '');
    }
  return hosts;
}

const nothing = {
  jvmName: '',
  lastHeartbeat: -1,
  numOperators: 0,
  operators: {},
  containerLogsUrl: '',
  rawContainerLogsUrl: '',
  // Flink does not tell when a process began.
  startedTime: -1,
  finishedTime: -1,
} as const;

function jobManagerContainer({ host, metrics }: ContainersOf['jobManager']): Container {
  const [used, most] = [
    metrics.get('Status.JVM.Memory.Heap.Used'),
    metrics.get('Status.JVM.Memory.Heap.Max'),
  ];
  return {
    ...nothing,
    id: jobManagerId,
    host,
    state: 'ACTIVE',
    containerType: 'APP_MASTER',
    memoryMBAllocated: inMB(most),
    memoryMBFree: most === undefined || used === undefined ? undefined : inMB(most - used),
    gcCollectionTime: metrics.get('Status.JVM.GarbageCollector.All.Time'),
    gcCollectionCount: metrics.get('Status.JVM.GarbageCollector.All.Count'),
  };
}

function taskManagerContainer(
  { detail, goneAt }: SeenTaskManager,
  operators: readonly PhysOperator[],
): Container {
  const { metrics, memoryConfiguration } = detail;
  const inIt = goneAt === undefined ? operators.filter(({ container }) => container === detail.id) : [];
  const [used, most] = [metrics?.heapUsed ?? undefined, metrics?.heapMax ?? undefined];
  const collections = collectionsOf(detail);
  const container: Container = {
    ...nothing,
    id: detail.id,
    host: hostIn(detail.path),
    state: 'ACTIVE',
    containerType: 'STREAMING',
    lastHeartbeat: detail.timeSinceLastHeartbeat ?? -1,
    numOperators: inIt.length,
    operators: Object.fromEntries(inIt.map(({ id, name }) => [id, name])),
    memoryMBAllocated: inMB(memoryConfiguration?.totalProcessMemory ?? undefined),
    memoryMBFree: most === undefined || used === undefined ? undefined : inMB(most - used),
    gcCollectionTime: collections?.time,
    gcCollectionCount: collections?.count,
  };
  return goneAt === undefined ? container : ended(container, goneAt);
}

/** One that subtasks name, and that this gateway never saw. */
const unknownContainer = (id: string, host: string): Container => ({
  ...nothing,
  id,
  host,
  state: 'KILLED',
  containerType: 'STREAMING',
});

const ended = (container: Container, at: number): Container => ({
  ...container,
  state: 'KILLED',
  numOperators: 0,
  operators: {},
  memoryMBFree: undefined,
  finishedTime: container.finishedTime === -1 ? at : container.finishedTime,
});

/** Flink names the sum of all collectors `All`, since 1.19; before that they are added up. */
function collectionsOf({
  metrics,
}: TaskManagerDetail): { readonly time: number; readonly count: number } | undefined {
  const collectors = metrics?.garbageCollectors ?? [];
  const all = collectors.find(({ name }) => name === 'All');
  if (all || collectors.length === 0) return all;
  return collectors.reduce((sum, { time, count }) => ({ time: sum.time + time, count: sum.count + count }), {
    time: 0,
    count: 0,
  });
}

const inMB = (bytes: number | undefined): number | undefined =>
  bytes === undefined ? undefined : Math.round(bytes / (1024 * 1024));
