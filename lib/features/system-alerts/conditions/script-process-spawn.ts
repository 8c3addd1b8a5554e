import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { ownedProcess } from '../../../runtime/owned.js';

export interface ScriptProcessOptions {
  readonly execPath: string;
  readonly env: Readonly<Record<string, string>>;
  /** Empty where the runtime has no permissions. */
  readonly permissionFlags: readonly string[];
  readonly heapMB: number;
  /** What it runs: the text of `script-process-main.text.js`. */
  readonly program: string;
}

/**
 * Its program comes to it as text over a descriptor, so that no file has to be found or may be read, wherever the host's
 * own code is: in a bundle, in a single executable.
 */
const programDescriptor = 4;
const loader = `require('node:vm').runInThisContext(require('node:fs').readFileSync(${programDescriptor}, 'utf8'), 'headgate:conditions')(require)`;
/** Says in lists of processes what this one is. */
const title = 'headgate-conditions';

/** A child process that does not keep the host from ending, whatever is said to it or heard of it. */
interface SpawnedProcess {
  readonly child: ChildProcess;
  /** Its standard input, its standard error, what it answers by and what its program comes by. */
  readonly sockets: readonly Socket[];
}

export function spawnScriptProcess(options: ScriptProcessOptions): SpawnedProcess {
  const { execPath, env, permissionFlags, heapMB, program } = options;
  const child = ownedProcess(
    spawn(
      execPath,
      [
        `--max-old-space-size=${heapMB}`,
        '--max-semi-space-size=8',
        // What it says on its standard error is why it ends itself, and nothing else.
        '--no-warnings',
        ...permissionFlags,
        '-e',
        loader,
        title,
      ],
      { env: { ...env }, stdio: ['pipe', 'ignore', 'pipe', 'pipe', 'pipe'] },
    ),
  );
  // A host that waits for nothing else, answers included, may end.
  child.unref();
  const given = child.stdio[programDescriptor];
  const sockets = [child.stdin, child.stderr, child.stdio[3], given].filter(
    (stream) => stream instanceof Socket,
  );
  for (const socket of sockets) {
    socket.unref();
    // A process that is gone tells by its end.
    socket.on('error', () => {});
  }
  if (given instanceof Socket) given.end(program);
  return { child, sockets };
}
