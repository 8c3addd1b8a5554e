import { constants, type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks';
import { GCProfiler, getHeapStatistics } from 'node:v8';
import type { RotatingFile } from './rotating-file.js';

// The runtime's own collections: their times from the performance observer, heap sizes before and after from the
// profiler, written as lines of the JVM's unified logging, which log readers know.

export interface GcWatch {
  readonly count: number;
  readonly millis: number;
  /** Writes the lines of the collections since the last call. */
  flush(): void;
}

const names: Readonly<Record<string, string>> = {
  Scavenge: 'Pause Young (Scavenge)',
  MarkSweepCompact: 'Pause Full (Mark-Sweep-Compact)',
};

export function watchGc(file: RotatingFile, heapLimitMB: number): GcWatch {
  const watch = { count: 0, millis: 0, flush };
  /** When the pauses ended, milliseconds since the process began. */
  let ends: number[] = [];
  let profiler = new GCProfiler();
  profiler.start();
  const observe = (entries: readonly PerformanceEntry[]) => {
    for (const entry of entries) {
      watch.millis += entry.duration;
      if (!pauses.has(kindOf(entry))) continue;
      watch.count++;
      ends.push(entry.startTime + entry.duration);
      if (ends.length > 10_000) ends = ends.slice(-5000);
    }
  };
  const observer = new PerformanceObserver((list) => observe(list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  let id = 0;

  function flush(): void {
    observe(observer.takeRecords());
    const { statistics } = profiler.stop();
    profiler = new GCProfiler();
    profiler.start();
    const collections = statistics.filter(({ gcType }) => gcType in names);
    // The newest belong together; one that is just ending may be known to one side only.
    const times = ends.slice(-collections.length);
    ends = [];
    let text = '';
    for (const [index, { gcType, cost, beforeGC, afterGC }] of collections.entries()) {
      const before = megabytes(beforeGC.heapStatistics.usedHeapSize);
      const after = megabytes(afterGC.heapStatistics.usedHeapSize);
      const capacity = megabytes(afterGC.heapStatistics.totalHeapSize);
      // `cost` is in microseconds.
      const millis = (cost / 1000).toFixed(3);
      text += `${stamp(times[index])}[gc] GC(${id++}) ${names[gcType]} ${before}M->${after}M(${capacity}M) ${millis}ms\n`;
    }
    if (text) file.write(text);
  }

  const limit = megabytes(getHeapStatistics().heap_size_limit);
  file.write(`${stamp()}[gc,init] Heap Max Capacity: ${heapLimitMB}M (limit ${limit}M)\n`);
  return watch;
}

const pauses: ReadonlySet<unknown> = new Set([
  constants.NODE_PERFORMANCE_GC_MINOR,
  constants.NODE_PERFORMANCE_GC_MAJOR,
]);

function kindOf(entry: PerformanceEntry): unknown {
  const detail: unknown = 'detail' in entry ? entry.detail : undefined;
  return typeof detail === 'object' && detail !== null && 'kind' in detail ? detail.kind : undefined;
}

const megabytes = (bytes: number) => Math.round(bytes / 1048576);

/** As unified logging does: when the line came to be, which is when the pause ended. */
function stamp(at = performance.now()): string {
  const time = new Date(performance.timeOrigin + at).toISOString().replace('Z', '+0000');
  return `[${time}][${(at / 1000).toFixed(3)}s][info]`;
}
