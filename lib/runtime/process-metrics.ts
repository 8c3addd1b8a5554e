import { readdirSync, readFileSync } from 'node:fs';
import { constants, createHistogram, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import type { Metrics } from './metrics.js';

// What Prometheus' clients tell of every process, under the names that dashboards know. They are of the whole process, the
// host's part included. What has to be watched is watched from the first scrape on: who is never scraped pays nothing.

/** Milliseconds from one look at the event loop to the next. */
const lookMillis = 20;
const nanos = 1e9;
const micros = 1e6;

/** Returns what ends the watching. */
export function readProcess(metrics: Metrics): () => void {
  readUsage(metrics);
  readDescriptors(metrics);
  readHeap(metrics);
  const ends = [readEventLoop(metrics), watchGarbageCollection(metrics)];
  return () => {
    for (const end of ends) end();
  };
}

function readUsage({ reading, readings }: Metrics): void {
  const cpu = (name: string, help: string, microsOf: (usage: NodeJS.CpuUsage) => number) =>
    reading('counter', `process_cpu_${name}_total`, help, () => microsOf(process.cpuUsage()) / micros);
  cpu('user_seconds', 'Time of processors in the code of this process', ({ user }) => user);
  cpu('system_seconds', 'Time of processors in the system for this process', ({ system }) => system);
  cpu('seconds', 'Both together', ({ user, system }) => user + system);
  const startSeconds = Math.round(Date.now() / 1000 - process.uptime());
  reading('gauge', 'process_start_time_seconds', 'When it began, since 1970', () => startSeconds);
  reading('gauge', 'process_resident_memory_bytes', 'Memory that it occupies', process.memoryUsage.rss);
  const [major = '', minor = '', patch = ''] = process.versions.node.split('.');
  readings('gauge', 'nodejs_version_info', 'Which Node it is', ['version', 'major', 'minor', 'patch'], () => [
    { values: [process.version, major, minor, patch], number: 1 },
  ]);
}

/** Linux tells them; where nobody does they are absent. */
function readDescriptors({ reading, readings }: Metrics): void {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    if (limit === undefined) return;
    reading('gauge', 'process_max_fds', 'Files and sockets that it may have open', () => Number(limit));
  } catch {
    return;
  }
  readings('gauge', 'process_open_fds', 'Files and sockets that it has open', [], () => {
    try {
      // The one that lists them is among them.
      return [{ values: [], number: readdirSync('/proc/self/fd').length - 1 }];
    } catch {
      // None is left to look with.
      return [];
    }
  });
}

function readHeap({ reading, readings }: Metrics): void {
  const memory = (name: string, help: string, of: 'heapTotal' | 'heapUsed' | 'external') =>
    reading('gauge', `nodejs_${name}_bytes`, help, () => process.memoryUsage()[of]);
  memory('heap_size_total', 'The heap of JavaScript', 'heapTotal');
  memory('heap_size_used', 'What of it is in use', 'heapUsed');
  memory('external_memory', 'Memory outside of the heap that JavaScript holds, such as buffers', 'external');
  const spaces = (
    name: string,
    help: string,
    of: 'space_size' | 'space_used_size' | 'space_available_size',
  ) =>
    readings('gauge', `nodejs_heap_space_size_${name}_bytes`, help, ['space'], () =>
      getHeapSpaceStatistics().map((space) => ({
        values: [space.space_name.replace(/_space$/, '')],
        number: space[of],
      })),
    );
  spaces('total', 'Each space of the heap', 'space_size');
  spaces('used', 'What of it is in use', 'space_used_size');
  spaces('available', 'What of it is free', 'space_available_size');
}

/** How late timers come, between two scrapes. Node's own monitor would leave a handle until it is collected. */
function readEventLoop({ reading, readings, beforeText }: Metrics): () => void {
  const histogram = createHistogram();
  const lagSeconds = (nanosOfLag: number) => (histogram.count === 0 ? 0 : nanosOfLag / nanos);
  const sample = () => ({
    max: lagSeconds(histogram.max),
    mean: lagSeconds(histogram.mean),
    p50: lagSeconds(histogram.percentile(50)),
    p99: lagSeconds(histogram.percentile(99)),
  });
  let lags = sample();
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let dueAt = 0;
  const look = () => {
    const lateMillis = performance.now() - dueAt;
    histogram.record(Math.max(1, Math.round((lateMillis * nanos) / 1000)));
    lookLater();
  };
  const lookLater = () => {
    dueAt = performance.now() + lookMillis;
    timer = setTimeout(look, lookMillis).unref();
  };
  beforeText(() => {
    lags = sample();
    histogram.reset();
    if (timer === undefined && !isOver) lookLater();
  });
  const lag = (name: keyof typeof lags, help: string) =>
    reading('gauge', `nodejs_eventloop_lag_${name}_seconds`, help, () => lags[name]);
  lag('max', 'How late the latest timer was since the last scrape');
  lag('mean', 'How late timers were on average');
  lag('p50', 'Half of them were no later');
  lag('p99', '99 of 100 were no later');
  readings('counter', 'nodejs_eventloop_time_seconds_total', 'What the event loop did', ['state'], () => {
    const { active, idle } = performance.eventLoopUtilization();
    return [
      { values: ['active'], number: active / 1000 },
      { values: ['idle'], number: idle / 1000 },
    ];
  });
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

const gcKinds: ReadonlyMap<unknown, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

function watchGarbageCollection({ histogram, beforeText }: Metrics): () => void {
  const seconds = histogram('nodejs_gc_duration_seconds', 'Garbage collections', ['kind']);
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const detail: unknown = Reflect.get(entry, 'detail');
      const kind =
        typeof detail === 'object' && detail !== null && 'kind' in detail ? detail.kind : undefined;
      seconds.of(gcKinds.get(kind) ?? 'other').observe(entry.duration / 1000);
    }
  });
  let isObserving = false;
  let isOver = false;
  beforeText(() => {
    if (isObserving || isOver) return;
    isObserving = true;
    observer.observe({ entryTypes: ['gc'] });
  });
  return () => {
    isOver = true;
    observer.disconnect();
  };
}
