import type { Resource, TaskManagerDetail } from '../rest/cluster-shapes.js';
import type { Resources } from '../rest/resources.js';
import type { Allocation } from './reports.js';

/** Task managers with what runs in them, each asked once in a beat. */
export interface TaskManagerDetails {
  /** Those that the JobManager has now; one that is gone in between is left out. */
  all(): Promise<readonly TaskManagerDetail[]>;
}

export function createTaskManagerDetails(resources: Resources): TaskManagerDetails {
  return {
    async all() {
      const { taskmanagers } = await resources.taskManagers.get();
      const details = await Promise.allSettled(taskmanagers.map(({ id }) => resources.taskManager.get(id)));
      return details.flatMap((detail) => (detail.status === 'fulfilled' ? [detail.value] : []));
    },
  };
}

export const noSlots: Allocation = { taskManagers: 0, memoryMB: 0, cpuCores: 0 };

/** Job to what it holds of the slots. */
export function allocationsOf(details: readonly TaskManagerDetail[]): ReadonlyMap<string, Allocation> {
  const found = new Map<string, Allocation>();
  for (const { allocatedSlots } of details) {
    const here = new Set<string>();
    for (const { jobId, resource } of allocatedSlots) {
      const before = found.get(jobId) ?? noSlots;
      found.set(jobId, {
        taskManagers: before.taskManagers + (here.has(jobId) ? 0 : 1),
        memoryMB: before.memoryMB + memoryOf(resource ?? {}),
        cpuCores: before.cpuCores + (resource?.cpuCores ?? 0),
      });
      here.add(jobId);
    }
  }
  return found;
}

const memoryOf = ({
  taskHeapMemory,
  taskOffHeapMemory,
  managedMemory,
  networkMemory,
}: Partial<Resource>): number =>
  [taskHeapMemory, taskOffHeapMemory, managedMemory, networkMemory].reduce<number>(
    (sum, part) => sum + (part ?? 0),
    0,
  );
