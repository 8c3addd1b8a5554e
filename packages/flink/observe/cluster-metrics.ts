import type { ApplicationReport, ClusterMetrics } from 'headgate/driver-kit';
import type { TaskManagerDetails } from '../jobs/allocations.js';
import { hasEnded, statesOf } from '../jobs/states.js';
import type { Resources } from '../rest/resources.js';
import { sumIfKnown } from './counters.js';

/** Figures of the whole cluster. `reports`: of all jobs. */
export async function clusterMetrics(
  reports: readonly ApplicationReport[],
  { resources, details }: { readonly resources: Resources; readonly details: TaskManagerDetails },
): Promise<ClusterMetrics> {
  const [overview, jobs, taskManagers, cpu] = await Promise.all([
    resources.overview.get(),
    resources.jobs.get(),
    details.all(),
    resources.clusterLoad.get().catch(() => undefined),
  ]);
  const running = reports.filter((report) => !hasEnded(report));
  const waiting = running.filter(({ state }) => state !== 'RUNNING');
  const memory = sumIfKnown(
    taskManagers.map(({ memoryConfiguration }) => memoryConfiguration?.totalProcessMemory ?? undefined),
  );
  return {
    averageAge:
      running.length === 0
        ? 0
        : running.reduce((sum, { elapsedTime }) => sum + elapsedTime, 0) / running.length,
    cpuPercentage: cpu === undefined ? undefined : cpu * 100,
    currentMemoryAllocatedMB: running.reduce((sum, { allocatedMB }) => sum + Math.max(0, allocatedMB), 0),
    maxMemoryAllocatedMB: Math.round((memory ?? 0) / (1024 * 1024)),
    numAppsFailed: overview['jobs-failed'],
    numAppsFinished: overview['jobs-finished'],
    numAppsKilled: overview['jobs-cancelled'],
    numAppsPending: waiting.length,
    numAppsRunning: running.length - waiting.length,
    numAppsSubmitted: reports.length,
    numContainers: overview.taskmanagers,
    numOperators: jobs
      .filter(({ state }) => !hasEnded(statesOf(state)))
      .reduce((sum, { tasks }) => sum + (tasks['total'] ?? 0), 0),
  };
}
