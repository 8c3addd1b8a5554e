import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** Ends the containers of a cluster whose node manager could not: whatever still works in its directory. */
export async function endLeftovers(directory: string): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    const left = await workingIn(directory);
    if (left.length === 0) return;
    for (const pid of left) kill(pid);
    await delay(100);
  }
  throw new Error(`Processes that cannot be ended still work in ${directory}`);
}

/** Containers run in sessions of their own; their working directory is what tells whose they are. */
export async function workingIn(directory: string): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0 && pid !== process.pid);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      const zombie = /\) Z /.test(state);
      return !zombie && (cwd === directory || cwd.startsWith(`${directory}/`)) ? [pid] : [];
    }),
  );
  return found.flat();
}

function kill(pid: number) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It was faster.
  }
}
