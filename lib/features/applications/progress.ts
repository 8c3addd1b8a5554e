import type { AppStats } from '../../model/applications.js';
import type { PhysOperator } from '../../model/physical-plan.js';
import { setNewest } from '../../runtime/lru.js';

/** Since when something has been as it is, from one look at the application to the next. Times in epoch milliseconds. */
export interface Progress {
  /** Operator id to the window it was in, and since when. */
  readonly windows: ReadonlyMap<string, { readonly windowId: string; readonly since: number }>;
  /** Fewer containers than the plan asks for; absent when all are there. */
  readonly shortSince?: number;
}

/** What is known after another look. Operators that are gone or not running are forgotten. */
export function observe(
  before: Progress | undefined,
  now: number,
  seen: { readonly stats: AppStats; readonly operators: readonly PhysOperator[] },
): Progress {
  const windows = new Map<string, { windowId: string; since: number }>();
  for (const { id, status, currentWindowId, currentWindowSince } of seen.operators) {
    // An engine that has no windows tells of no progress in them. `0` is one: before the first, in which an operator may hang too.
    if (status !== 'ACTIVE' || currentWindowId === undefined) continue;
    const last = before?.windows.get(id);
    const same = last?.windowId === currentWindowId;
    // Where the engine tells, nobody needs to have looked before.
    const since = currentWindowSince ?? (same ? last.since : now);
    windows.set(id, { windowId: currentWindowId, since });
  }
  const { allocatedContainers, plannedContainers } = seen.stats;
  const short = plannedContainers !== undefined && allocatedContainers < plannedContainers;
  return { windows, ...(short ? { shortSince: before?.shortSince ?? now } : {}) };
}

/** Progress of the applications that were looked at last; the oldest are forgotten beyond `limit`. */
export function createProgressBook(limit = 1000) {
  const book = new Map<string, Progress>();
  return {
    look(appId: string, now: number, seen: Parameters<typeof observe>[2]): Progress {
      const progress = observe(book.get(appId), now, seen);
      setNewest(book, appId, progress, limit);
      return progress;
    },
  };
}
