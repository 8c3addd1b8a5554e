import { onceOf } from 'headgate/driver-kit';
import type { TaskManagerDetail } from '../rest/cluster-shapes.js';
import type { Resources } from '../rest/resources.js';
import type { Allocation } from './reports.js';

/** Task managers with what runs in them, each asked once in a beat. */
export interface TaskManagerDetails {
  /**
   * Those that the JobManager has now; one that is gone in between is left out. The same list as long as nobody was asked anew: what is
   * made of it is made once in a beat.
   */
  all(): Promise<readonly TaskManagerDetail[]>;
}

export function createTaskManagerDetails(resources: Resources): TaskManagerDetails {
  let last: readonly TaskManagerDetail[] = [];
  return {
    async all() {
      const { taskmanagers } = await resources.taskManagers.get();
      const asked = await Promise.allSettled(taskmanagers.map(({ id }) => resources.taskManager.get(id)));
      const details = asked.flatMap((detail) => (detail.status === 'fulfilled' ? [detail.value] : []));
      const isSame = details.length === last.length && details.every((detail, at) => detail === last[at]);
      if (!isSame) last = details;
      return last;
    },
  };
}

export const noSlots: Allocation = { taskManagers: 0, memoryMB: 0, cpuCores: 0 };

/** Job to what it holds of the slots. Of the same list it is the same map. */
export const allocationsOf: (details: readonly TaskManagerDetail[]) => ReadonlyMap<string, Allocation> =
  onceOf(summed);

function summed(details: readonly TaskManagerDetail[]): ReadonlyMap<string, Allocation> {
  const found = new Map<string, Allocation>();
  for (const { allocatedSlots } of details)
    for (const [jobId, held] of allocatedSlots) {
      const before = found.get(jobId) ?? noSlots;
      found.set(jobId, {
        taskManagers: before.taskManagers + 1,
        memoryMB: before.memoryMB + held.memoryMB,
        cpuCores: before.cpuCores + held.cpuCores,
      });
    }
  return found;
}
