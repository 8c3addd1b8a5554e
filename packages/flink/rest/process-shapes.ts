import * as z from 'zod';
import { Text } from './values.js';

/** `/taskmanagers/:id/logs`, `/jobmanager/logs`: lengths in bytes. */
export const Logs = z.object({ logs: z.array(z.object({ name: z.string(), size: z.number() })) });

/** `/taskmanagers/:id/thread-dump`: each thread as Java writes it. */
export const Threads = z.object({
  threadInfos: z.array(z.object({ threadName: Text, stringifiedThreadInfo: Text })),
});
