import * as z from 'zod';
import { Amount, Moment, Text } from './values.js';

/** `/taskmanagers/:id/logs`, `/jobmanager/logs`: lengths in bytes. */
export const Logs = z.object({ logs: z.array(z.object({ name: z.string(), size: z.number() })) });

/** `/taskmanagers/:id/thread-dump`: each thread as Java writes it. */
export const Threads = z.object({
  threadInfos: z.array(z.object({ threadName: Text, stringifiedThreadInfo: Text })),
});

/** A profile of a process, as the profiler tells it: times in epoch milliseconds. */
export const ToldProfile = z.object({
  /** `RUNNING`, `FINISHED`, `FAILED`. */
  status: z.string(),
  mode: Text,
  triggerTime: z.number(),
  finishedTime: Moment,
  /** Seconds. */
  duration: Amount,
  message: z.string().nullish(),
  /** Name of its file, in the folder of profiles. */
  outputFile: z.string().nullish(),
});

/** `/taskmanagers/:id/profiler`: the newest first. */
export const Profiles = z
  .object({ profilingList: z.array(z.unknown()) })
  .transform(({ profilingList }) => profilingList.flatMap((told) => ToldProfile.safeParse(told).data ?? []));
