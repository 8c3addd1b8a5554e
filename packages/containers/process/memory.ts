import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

/** Resident memory of these process groups, bytes. Pages that several processes share count for each of them. */
export async function memoryByGroup(groups: ReadonlySet<number>): Promise<ReadonlyMap<number, number>> {
  return process.platform === 'linux' ? fromProc(groups) : fromPs(groups);
}

async function fromProc(groups: ReadonlySet<number>): Promise<ReadonlyMap<number, number>> {
  const sums = new Map<number, number>();
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    // The name before may hold anything, also blanks and brackets; behind it: state, parent, group.
    const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ', 3)[2]);
    if (!groups.has(group)) continue;
    const status = await readFile(`/proc/${entry}/status`, 'utf8').catch(() => '');
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0;
    sums.set(group, (sums.get(group) ?? 0) + Number(kilobytes) * 1024);
  }
  return sums;
}

const fromPs = (groups: ReadonlySet<number>): Promise<ReadonlyMap<number, number>> =>
  new Promise((resolve) => {
    execFile('ps', ['-A', '-o', 'pgid=,rss='], { timeout: 5000, maxBuffer: 2 ** 22 }, (_error, text) => {
      const sums = new Map<number, number>();
      for (const [, group, kilobytes] of text.matchAll(/^\s*(\d+)\s+(\d+)\s*$/gm))
        if (groups.has(Number(group)))
          sums.set(Number(group), (sums.get(Number(group)) ?? 0) + Number(kilobytes) * 1024);
      resolve(sums);
    });
  });
