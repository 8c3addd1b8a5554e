import * as z from 'zod';
import { Text } from './values.js';

/** `/config` */
export const Configuration = z.object({
  'flink-version': Text,
  'flink-revision': Text,
  'refresh-interval': z.number().nullish(),
});

const count = z
  .number()
  .nullish()
  .transform((value) => value ?? 0);

/** `/overview` */
export const Overview = z.object({
  taskmanagers: z.number(),
  'slots-total': z.number(),
  'slots-available': z.number(),
  'jobs-running': count,
  'jobs-finished': count,
  'jobs-cancelled': count,
  'jobs-failed': count,
});

/** `/jobmanager/config`: name to value. */
export const Settings = z
  .array(z.object({ key: z.string(), value: Text }))
  .transform((settings) => Object.fromEntries(settings.map(({ key, value }) => [key, value])));

/** `/taskmanagers/metrics?get=...` of one metric: its average, absent as long as nobody has told it. */
export const AverageLoad = z
  .array(z.object({ avg: z.number().nullish() }))
  .transform(([metric]) => (typeof metric?.avg === 'number' && metric.avg >= 0 ? metric.avg : undefined));

const Resource = z.object({
  cpuCores: z.number().nullish(),
  /** This and what follows: MB. */
  taskHeapMemory: z.number().nullish(),
  taskOffHeapMemory: z.number().nullish(),
  managedMemory: z.number().nullish(),
  networkMemory: z.number().nullish(),
});

/** What a job holds of the slots of one task manager. */
interface HeldSlots {
  readonly memoryMB: number;
  readonly cpuCores: number;
}

/** Job to what it holds: each slot is told anew in each beat, and nobody needs more of them than their sums. */
const AllocatedSlots = z
  .array(z.object({ jobId: z.string(), resource: Resource.nullish() }))
  .nullish()
  .transform((slots): ReadonlyMap<string, HeldSlots> => {
    const held = new Map<string, HeldSlots>();
    for (const { jobId, resource } of slots ?? []) {
      const { memoryMB, cpuCores } = held.get(jobId) ?? { memoryMB: 0, cpuCores: 0 };
      held.set(jobId, {
        memoryMB: memoryMB + memoryOf(resource ?? {}),
        cpuCores: cpuCores + (resource?.cpuCores ?? 0),
      });
    }
    return held;
  });

function memoryOf({
  taskHeapMemory,
  taskOffHeapMemory,
  managedMemory,
  networkMemory,
}: Partial<z.output<typeof Resource>>): number {
  const parts = [taskHeapMemory, taskOffHeapMemory, managedMemory, networkMemory];
  return parts.reduce<number>((sum, part) => sum + (part ?? 0), 0);
}

const TaskManager = z.object({
  id: z.string(),
  path: Text,
  /** A moment, whatever its name says: epoch milliseconds. */
  timeSinceLastHeartbeat: z.number().nullish(),
  slotsNumber: count,
  freeSlots: count,
  hardware: z.object({ cpuCores: z.number().nullish(), physicalMemory: z.number().nullish() }).nullish(),
  /** Bytes. */
  memoryConfiguration: z.object({ totalProcessMemory: z.number().nullish() }).nullish(),
});

/** `/taskmanagers` */
export const TaskManagers = z.object({ taskmanagers: z.array(TaskManager) });

/** `/taskmanagers/:id` */
export const TaskManagerDetail = TaskManager.extend({
  allocatedSlots: AllocatedSlots,
  metrics: z
    .object({
      heapUsed: z.number().nullish(),
      heapMax: z.number().nullish(),
      garbageCollectors: z
        .array(z.object({ name: z.string(), count: z.number(), time: z.number() }))
        .nullish()
        .transform((collectors) => collectors ?? []),
    })
    .nullish(),
});
export type TaskManagerDetail = z.output<typeof TaskManagerDetail>;
