import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownedProcess } from '../../../runtime/owned.js';

export interface ScriptProcessOptions {
  readonly execPath: string;
  readonly env: Readonly<Record<string, string>>;
  /** Empty where the runtime has no permissions. */
  readonly permissionFlags: readonly string[];
  readonly heapMB: number;
}

const entry = fileURLToPath(new URL('./script-process-main.js', import.meta.url));
/** What the process loads: its own folder, and the packages. Found when it is needed: many hosts have no alerts. */
const readableFolders = (): string[] => [dirname(entry), ...new Set(['ses', 'acorn'].map(packagesAround))];

function packagesAround(name: string): string {
  const path = fileURLToPath(import.meta.resolve(name));
  const [outside, ...inside] = path.split(`${sep}node_modules${sep}`);
  return inside.length === 0 || outside === undefined ? dirname(path) : join(outside, 'node_modules');
}

/** A child process that does not keep the host from ending, whatever is said to it or heard of it. */
interface SpawnedProcess {
  readonly child: ChildProcess;
  /** Its standard input, its standard error, and what it answers by. */
  readonly sockets: readonly Socket[];
}

export function spawnScriptProcess(options: ScriptProcessOptions): SpawnedProcess {
  const { execPath, env, permissionFlags, heapMB } = options;
  const reading =
    permissionFlags.length > 0 ? readableFolders().map((path) => `--allow-fs-read=${join(path, '*')}`) : [];
  const child = ownedProcess(
    spawn(
      execPath,
      [
        `--max-old-space-size=${heapMB}`,
        '--max-semi-space-size=8',
        // What it says on its standard error is why it ends itself, and nothing else.
        '--no-warnings',
        ...permissionFlags,
        ...reading,
        entry,
      ],
      { env: { ...env }, stdio: ['pipe', 'ignore', 'pipe', 'pipe'] },
    ),
  );
  // A host that waits for nothing else, answers included, may end.
  child.unref();
  const sockets = [child.stdin, child.stderr, child.stdio[3]].filter((stream) => stream instanceof Socket);
  for (const socket of sockets) {
    socket.unref();
    // A process that is gone tells by its end.
    socket.on('error', () => {});
  }
  return { child, sockets };
}
