import { PerformanceObserver, performance } from 'node:perf_hooks';
import { GCProfiler, getHeapStatistics } from 'node:v8';
import { type Collection, type Collector, collectorOf, createGcPairs, type Pause } from './gc-pairs.js';
import type { RotatingFile } from './rotating-file.js';

// The runtime's own collections: their times from the performance observer, heap sizes before and after from the
// profiler, written as lines of the JVM's unified logging, which log readers know.

export interface GcWatch {
  readonly count: number;
  readonly millis: number;
  /** Writes the lines of the collections since the last call whose times are known. */
  flush(): void;
}

const names: Readonly<Record<Collector, string>> = {
  Scavenge: 'Pause Young (Scavenge)',
  MarkSweepCompact: 'Pause Full (Mark-Sweep-Compact)',
};

export function watchGc(file: RotatingFile, heapLimitMB: number): GcWatch {
  const watch = { count: 0, millis: 0, flush };
  const pairs = createGcPairs();
  const observe = (entries: ReturnType<PerformanceObserver['takeRecords']>) => {
    for (const entry of entries) {
      watch.millis += entry.duration;
      const collector = collectorOf(entry);
      if (!collector) continue;
      watch.count++;
      pairs.paused({ collector, at: entry.startTime, millis: entry.duration });
    }
  };
  const observer = new PerformanceObserver((list) => observe(list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  let profiler = new GCProfiler();
  profiler.start();
  let from = performance.now();
  let id = 0;

  function flush(): void {
    observe(observer.takeRecords());
    // The next one watches before the last one ends, so that none happens in between.
    const next = new GCProfiler();
    next.start();
    const takenOver = performance.now();
    const { statistics } = profiler.stop();
    pairs.profiled({ from, to: performance.now(), collections: statistics.flatMap(collectionOf) });
    profiler = next;
    from = takenOver;
    let text = '';
    for (const [pause, collection] of pairs.take()) text += lineOf(id++, pause, collection);
    if (text) file.write(text);
  }

  const limit = Math.round(getHeapStatistics().heap_size_limit / 1048576);
  file.write(`${stamp()}[gc,init] Heap Max Capacity: ${heapLimitMB}M (limit ${limit}M)\n`);
  return watch;
}

type Statistics = ReturnType<GCProfiler['stop']>['statistics'][number];

function collectionOf({ gcType, beforeGC, afterGC }: Statistics): Collection[] {
  if (gcType !== 'Scavenge' && gcType !== 'MarkSweepCompact') return [];
  const { usedHeapSize: after, totalHeapSize: capacity } = afterGC.heapStatistics;
  return [{ collector: gcType, before: beforeGC.heapStatistics.usedHeapSize, after, capacity }];
}

function lineOf(id: number, { at, millis }: Pause, collection: Collection): string {
  const { collector, before, after, capacity } = collection;
  const heap = `${kilobytes(before)}->${kilobytes(after)}(${kilobytes(capacity)})`;
  return `${stamp(at + millis)}[gc] GC(${id}) ${names[collector]} ${heap} ${millis.toFixed(3)}ms\n`;
}

const kilobytes = (bytes: number) => `${Math.round(bytes / 1024)}K`;

/** As unified logging does: when the line came to be, which is when the pause ended. */
function stamp(at = performance.now()): string {
  const time = new Date(performance.timeOrigin + at).toISOString().replace('Z', '+0000');
  return `[${time}][${(at / 1000).toFixed(3)}s][info]`;
}
