import { PerformanceObserver } from 'node:perf_hooks';

/** What the host process has spent on garbage collection. */
export interface HostGc {
  readonly count: number;
  readonly millis: number;
}

/** Counts the host's garbage collections from now on; only listens. */
export function watchHostGc(): { readonly gc: HostGc; close(): void } {
  const gc = { count: 0, millis: 0 };
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      gc.count++;
      gc.millis += duration;
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return { gc, close: () => observer.disconnect() };
}
