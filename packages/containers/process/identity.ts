import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

// A number of a process says little: it is given to another one some day. Together with the time when that process
// started, since which start of the machine, it means one process only.

/** A process that can't be taken for another one. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly started: string;
}

/** `undefined` when there is no such process, or only what is left of one. */
export async function startOf(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return startByPs(pid);
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  // The name before may hold anything, also blanks and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  if (state === 'Z' || state === 'X') return undefined;
  return `${await bootId()}:${fields[19] ?? ''}`;
}

const bootId = async (): Promise<string> =>
  (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim();

const startByPs = (pid: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    execFile('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { timeout: 5000 }, (error, text) => {
      const [, state, started] = /^\s*(\S+)\s+(.*\S)\s*$/.exec(text) ?? [];
      resolve(error || state?.startsWith('Z') ? undefined : started);
    });
  });

export const isAlive = async ({ pid, started }: ProcessIdentity): Promise<boolean> =>
  (await startOf(pid)) === started;

/** Resolves whether it was there to be told. Never reaches another process that has its number now. */
export async function signal(target: ProcessIdentity, name: NodeJS.Signals): Promise<boolean> {
  return (await isAlive(target)) && sent(target.pid, name);
}

/** The same for the group that the process leads. */
export async function signalGroup(leader: ProcessIdentity, name: NodeJS.Signals): Promise<boolean> {
  return (await isAlive(leader)) && sent(-leader.pid, name);
}

function sent(pid: number, name: NodeJS.Signals): boolean {
  // 0 and -1 would mean whole sets of processes.
  if (Math.abs(pid) < 2) return false;
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
