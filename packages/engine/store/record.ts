import { JsonApplication } from 'headgate/driver-kit';
import * as z from 'zod';

/** What the engine keeps of an application, from its launch on. */
export const ApplicationRecord = z.object({
  id: z.string(),
  user: z.string(),
  name: z.string(),
  queue: z.string(),
  state: z.enum(['ACCEPTED', 'RUNNING', 'FINISHED', 'FAILED', 'KILLED']),
  finalStatus: z.enum(['UNDEFINED', 'SUCCEEDED', 'FAILED', 'KILLED']),
  startedTime: z.number(),
  finishedTime: z.number(),
  diagnostics: z.string(),
  isSystemApp: z.boolean(),
  packageSource: z
    .object({
      user: z.string(),
      name: z.string(),
      version: z.string(),
      appName: z.string(),
      configPackage: z.object({ user: z.string(), name: z.string(), version: z.string() }).exactOptional(),
    })
    .exactOptional(),
  /** The code of its package, by its digest. */
  packageCode: z.string().exactOptional(),
  failure: z
    .object({
      code: z.string(),
      message: z.string(),
      at: z.number().exactOptional(),
      operatorName: z.string().exactOptional(),
      operatorId: z.string().exactOptional(),
      containerId: z.string().exactOptional(),
      stackTrace: z.string().exactOptional(),
      log: z.array(z.string()).exactOptional(),
    })
    .exactOptional(),
  /** Launch properties included. */
  application: JsonApplication,
  /** The plan is not that of the launch any more: operators or streams came or went while it ran. */
  isPlanChanged: z.boolean().exactOptional(),
  /** What single partitions have of their own over their operator's properties, by their keys. */
  partitionProperties: z.record(z.string(), z.record(z.string(), z.unknown())).exactOptional(),
  /** The newest state that all operators have: partition to checkpoint file, `null` for no state. */
  saved: z
    .object({ window: z.number(), states: z.record(z.string(), z.string().nullable()) })
    .exactOptional(),
});
export type ApplicationRecord = z.output<typeof ApplicationRecord>;
export type SavedState = NonNullable<ApplicationRecord['saved']>;

export const hasEnded = (record: ApplicationRecord): boolean => record.finalStatus !== 'UNDEFINED';
