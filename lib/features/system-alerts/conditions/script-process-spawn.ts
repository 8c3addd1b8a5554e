import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { ownedProcess } from '../../../runtime/owned.js';

export interface ScriptProcessOptions {
  readonly execPath: string;
  readonly env: Readonly<Record<string, string>>;
  /** Empty where the runtime has no permissions. */
  readonly permissionFlags: readonly string[];
  readonly heapMB: number;
}

/** One file with all that the process loads, made of `script-process-main.ts` and packages by `scripts/bundle.js`. */
const entry = fileURLToPath(new URL('./script-process-main.bundle.mjs', import.meta.url));

/** A child process that does not keep the host from ending, whatever is said to it or heard of it. */
interface SpawnedProcess {
  readonly child: ChildProcess;
  /** Its standard input, its standard error, and what it answers by. */
  readonly sockets: readonly Socket[];
}

export function spawnScriptProcess(options: ScriptProcessOptions): SpawnedProcess {
  const { execPath, env, permissionFlags, heapMB } = options;
  const reading = permissionFlags.length > 0 ? [`--allow-fs-read=${entry}`] : [];
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
