import { openSync, readSync } from 'node:fs';

/**
 * Processor time of the main thread in milliseconds. Where only the whole process can be asked, what other threads do
 * (hashing, compressing) is in it.
 */
export function openThreadClock(): () => number {
  const ofProcess = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  if (process.platform !== 'linux') return ofProcess;
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const text = Buffer.alloc(64);
  return () => Number.parseInt(text.toString('latin1', 0, readSync(file, text, 0, 64, 0)), 10) / 1e6;
}
