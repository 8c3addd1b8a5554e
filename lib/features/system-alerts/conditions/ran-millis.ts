import { readFileSync } from 'node:fs';

/** How long a process's first thread has run so far; where the system does not tell, the time by the clock. */
export function ranMillis(pid: number | undefined): number {
  try {
    const [nanoseconds = ''] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ');
    return Number.parseInt(nanoseconds, 10) / 1e6;
  } catch {
    return performance.now();
  }
}
