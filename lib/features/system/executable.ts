import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { ClusterExecutable } from '../../interfaces/cluster.js';
import { ownedProcess } from '../../runtime/owned.js';

/** The engine's command line brings a JVM up. */
const probeMillis = 20_000;

/** Why this can't be a program of this machine; `undefined` when it can. */
export async function problemOfFile(path: string): Promise<string | undefined> {
  if (!isAbsolute(path)) return 'it is no absolute path';
  const found = await stat(path).catch(() => undefined);
  if (!found) return 'there is no such file';
  if (!found.isFile()) return 'it is no file';
  return access(path, constants.X_OK).then(
    () => undefined,
    () => 'the gateway may not run it',
  );
}

/** The same, after it was started the way the driver says. */
export async function problemOfProgram(
  path: string,
  probe: ClusterExecutable['probe'],
  signal: AbortSignal,
): Promise<string | undefined> {
  return (await problemOfFile(path)) ?? (await probed(path, probe, signal));
}

function probed(
  path: string,
  { arguments: args, environment }: ClusterExecutable['probe'],
  signal: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = ownedProcess(
      spawn(path, args, {
        cwd: '/',
        env: { ...environment },
        stdio: 'ignore',
        // A group of its own, so that what a script starts ends with it.
        detached: true,
      }),
    );
    const end = () => {
      if (child.pid === undefined || child.exitCode !== null) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It ended meanwhile.
      }
    };
    const timer = setTimeout(end, probeMillis);
    signal.addEventListener('abort', end, { once: true });
    const settle = (problem: string | undefined) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve(problem);
    };
    child.on('error', (error) => settle(`it can't be started (${error.message})`));
    child.on('exit', (code) => {
      const how = [path, ...args].join(' ');
      if (code === 0) settle(undefined);
      else if (code === null) settle(`${how} did not end by itself within ${probeMillis / 1000} s`);
      else settle(`${how} ended with code ${code}`);
    });
  });
}
