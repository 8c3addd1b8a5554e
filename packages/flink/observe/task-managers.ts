import { type Clock, setNewest } from 'headgate/driver-kit';
import type { TaskManagerDetails } from '../jobs/allocations.js';
import type { TaskManagerDetail } from '../rest/cluster-shapes.js';

/** A task manager as it was last seen. */
export interface SeenTaskManager {
  readonly detail: TaskManagerDetail;
  /** Epoch milliseconds at which it was missed; absent: the JobManager has it. */
  readonly goneAt?: number;
}

/** Task managers that there are, and those that there were: Flink tells nothing of one that it has lost. */
export interface TaskManagerBook {
  /** Those of now, and those that are gone; the same list as long as nobody was asked anew. */
  read(): Promise<readonly SeenTaskManager[]>;
}

/** `kept`: how many are remembered. */
export function createTaskManagerBook(deps: {
  readonly details: TaskManagerDetails;
  readonly clock: Clock;
  readonly kept: number;
}): TaskManagerBook {
  const { clock, kept } = deps;
  const book = new Map<string, SeenTaskManager>();
  let last:
    | { readonly details: readonly TaskManagerDetail[]; readonly seen: readonly SeenTaskManager[] }
    | undefined;

  return {
    async read() {
      const all = await deps.details.all();
      if (all === last?.details) return last.seen;
      const present = new Set(all.map(({ id }) => id));
      for (const detail of all) setNewest(book, detail.id, { detail }, kept);
      for (const [id, seen] of book)
        if (!present.has(id) && seen.goneAt === undefined) book.set(id, { ...seen, goneAt: clock.now() });
      last = { details: all, seen: [...book.values()] };
      return last.seen;
    },
  };
}

/** `pekko.tcp://flink@10.0.0.7:39631/user/rpc/taskmanager_0` */
export const hostIn = (path: string): string => /@(\[[^\]]+\]|[^:/]+)/.exec(path)?.[1] ?? '';
