import { constants, type PerformanceEntry } from 'node:perf_hooks';

export type Collector = 'Scavenge' | 'MarkSweepCompact';

/** What the performance observer tells. Milliseconds, since the process began. */
export interface Pause {
  readonly collector: Collector;
  readonly at: number;
  readonly millis: number;
}

/** What the profiler tells. Sizes in bytes. */
export interface Collection {
  readonly collector: Collector;
  readonly before: number;
  readonly after: number;
  readonly capacity: number;
}

/** All collections between two moments, which are milliseconds since the process began. */
interface Profile {
  readonly from: number;
  readonly to: number;
  readonly collections: readonly Collection[];
}

/**
 * Brings together what two watchers say of the same collections, each in the order of time. The observer says it later,
 * when the thread comes around to it: profiles wait until it has told of all that is in them. Where one profile takes
 * over from another, a collection may be in both.
 */
export function createGcPairs() {
  let pauses: Pause[] = [];
  let profiles: Profile[] = [];
  let last = -1;
  return {
    paused: (pause: Pause): void => {
      pauses.push(pause);
    },

    profiled: (profile: Profile): void => {
      profiles.push(profile);
    },

    take(): [Pause, Collection][] {
      const pairs: [Pause, Collection][] = [];
      let done = 0;
      for (const { from, to, collections } of profiles) {
        const own = pauses.filter(({ at }) => at >= from && at <= to);
        if (own.length < collections.length && (pauses.at(-1)?.at ?? 0) <= to) break;
        for (const [index, collection] of collections.entries()) {
          const pause = own[index];
          if (!pause || pause.at <= last || pause.collector !== collection.collector) continue;
          pairs.push([pause, collection]);
          last = pause.at;
        }
        done++;
      }
      profiles = profiles.slice(done);
      const oldest = profiles[0]?.from ?? Infinity;
      pauses = pauses.filter(({ at }) => at >= Math.min(oldest, last));
      return pairs;
    },
  };
}

/** `undefined` for steps of a collection, and what is no collection at all. */
export function collectorOf(entry: PerformanceEntry): Collector | undefined {
  const detail: unknown = 'detail' in entry ? entry.detail : undefined;
  if (typeof detail !== 'object' || detail === null || !('kind' in detail)) return undefined;
  if (detail.kind === constants.NODE_PERFORMANCE_GC_MINOR) return 'Scavenge';
  return detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR ? 'MarkSweepCompact' : undefined;
}
