import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

/** Resident memory by process group, bytes. Pages that several processes share count for each of them. */
export async function memoryByGroup(): Promise<ReadonlyMap<number, number>> {
  return process.platform === 'linux' ? fromProc() : fromPs();
}

async function fromProc(): Promise<ReadonlyMap<number, number>> {
  const sums = new Map<number, number>();
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const status = await readFile(`/proc/${entry}/status`, 'utf8').catch(() => '');
    const group = /^NSpgid:\s+(\d+)/m.exec(status)?.[1];
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
    if (group === undefined || kilobytes === undefined) continue;
    sums.set(Number(group), (sums.get(Number(group)) ?? 0) + Number(kilobytes) * 1024);
  }
  return sums;
}

const fromPs = (): Promise<ReadonlyMap<number, number>> =>
  new Promise((resolve) => {
    execFile('ps', ['-A', '-o', 'pgid=,rss='], { timeout: 5000, maxBuffer: 2 ** 22 }, (_error, text) => {
      const sums = new Map<number, number>();
      for (const [, group, kilobytes] of text.matchAll(/^\s*(\d+)\s+(\d+)\s*$/gm))
        sums.set(Number(group), (sums.get(Number(group)) ?? 0) + Number(kilobytes) * 1024);
      resolve(sums);
    });
  });
