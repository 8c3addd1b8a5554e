import { constants, type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks';
import { GCProfiler, getHeapStatistics } from 'node:v8';
import type { RotatingFile } from './rotating-file.js';

// The runtime's own collections: their times from the performance observer, heap sizes before and after from the
// profiler, written as lines of the JVM's unified logging, which log readers know.

interface Collection {
  readonly gcType: string;
  /** Microseconds. */
  readonly cost: number;
  readonly beforeGC: { heapStatistics: { usedHeapSize: number; totalHeapSize: number } };
  readonly afterGC: { heapStatistics: { usedHeapSize: number; totalHeapSize: number } };
}

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
  let starts: number[] = [];
  let profiler = new GCProfiler();
  profiler.start();
  const observe = (entries: readonly PerformanceEntry[]) => {
    for (const entry of entries) {
      const kind = (entry as { detail?: { kind?: number } }).detail?.kind;
      watch.millis += entry.duration;
      if (kind !== constants.NODE_PERFORMANCE_GC_MINOR && kind !== constants.NODE_PERFORMANCE_GC_MAJOR)
        continue;
      watch.count++;
      starts.push(entry.startTime);
      if (starts.length > 10_000) starts = starts.slice(-5000);
    }
  };
  const observer = new PerformanceObserver((list) => observe(list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  let id = 0;

  function flush(): void {
    observe(observer.takeRecords());
    const { statistics } = profiler.stop() as unknown as { statistics: Collection[] };
    profiler = new GCProfiler();
    profiler.start();
    const pauses = statistics.filter(({ gcType }) => gcType in names);
    // The newest belong together; one that is just ending may be known to one side only.
    const times = starts.slice(-pauses.length);
    starts = [];
    let text = '';
    for (const [index, pause] of pauses.entries()) {
      const start = times[index] ?? performance.now();
      const time = new Date(performance.timeOrigin + start).toISOString().replace('Z', '+0000');
      const mb = (bytes: number) => Math.round(bytes / 1048576);
      const before = mb(pause.beforeGC.heapStatistics.usedHeapSize);
      const after = mb(pause.afterGC.heapStatistics.usedHeapSize);
      text += `[${time}][${(start / 1000).toFixed(3)}s][info][gc] GC(${id++}) ${names[pause.gcType]} ${before}M->${after}M(${mb(pause.afterGC.heapStatistics.totalHeapSize)}M) ${(pause.cost / 1000).toFixed(3)}ms\n`;
    }
    if (text) file.write(text);
  }

  file.write(
    `[${new Date().toISOString().replace('Z', '+0000')}][${(performance.now() / 1000).toFixed(3)}s][info][gc,init] Heap Max Capacity: ${heapLimitMB}M (limit ${Math.round(getHeapStatistics().heap_size_limit / 1048576)}M)\n`,
  );
  return watch;
}
