import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Conflict, ContainerFailed, ownedProcess, TimedOut } from 'headgate/driver-kit';
import { saidOfDisk } from './disk-problems.js';
import { isAlive, signal, signalGroup } from './identity.js';
import type { Places } from './program.js';
import { orderFile, type RunOrder, type RunRecord, readRun, writeWhole } from './record.js';

// The gateway's side of a supervisor: what it is started for, what it tells, and how it and its program are ended.

/** In a bundle there may be no URL to begin from. */
const supervisorMain = (): string => fileURLToPath(new URL('./supervisor-main.js', import.meta.url));
/** Milliseconds between two looks at the file that a supervisor writes. */
const lookMillis = 25;
/** Milliseconds until a supervisor must have told of itself. */
const supervisorMillis = 15_000;

/** Rejects with a sentence when the program of supervisors is not beside this code. */
export async function requireSupervisor(): Promise<void> {
  try {
    await access(supervisorMain());
  } catch (cause) {
    throw new Error(
      '@headgate/containers can not find its own file supervisor-main.js: keep the package out of the bundle (external) and ship it in node_modules',
      { cause },
    );
  }
}

/** Starts a program under a supervisor of its own; resolves when that has told of it. */
export async function startSupervised(
  places: Places,
  order: RunOrder,
  { execPath, abort }: { readonly execPath: string; readonly abort: AbortSignal | undefined },
): Promise<RunRecord> {
  await writeWhole(orderFile(places.root), order).catch(saidOfDisk(places));
  const running = await presentRun(places);
  if (running && running.state !== 'ended') throw new Conflict('CONTAINER_RUNNING', 'It runs already');
  const child = ownedProcess(
    spawn(execPath, ['--max-old-space-size=32', supervisorMain(), places.root, order.id], {
      cwd: places.root,
      // Electron runs as Node only when it is told so; elsewhere this means nothing.
      env: { ELECTRON_RUN_AS_NODE: '1' },
      stdio: 'ignore',
      // It must outlive this process, and signals that end this one's group.
      detached: true,
    }),
  );
  let failure: unknown;
  child.once('error', (error) => {
    failure = error;
  });
  child.unref();
  try {
    for (const until = performance.now() + supervisorMillis; performance.now() < until; ) {
      abort?.throwIfAborted();
      if (failure !== undefined) throw new ContainerFailed(`${execPath} can't be started`, failure);
      const isOver = child.exitCode !== null || child.signalCode !== null;
      const run = await readRun(places.root);
      if (run?.id === order.id && (run.program || run.state === 'ended')) return run;
      if (isOver) throw new ContainerFailed(supervisorEnded(places));
      await delay(lookMillis);
    }
    throw new TimedOut('The supervisor of a program');
  } catch (error) {
    await giveUp(places, child);
    throw error;
  }
}

/** A supervisor that has not told of itself yet starts nothing from now on, and what it just started ends. */
async function giveUp(places: Places, child: ChildProcess): Promise<void> {
  await withdrawOrder(places);
  if (child.pid === undefined) return;
  child.kill('SIGUSR2');
  await comesTrue(async () => child.exitCode !== null || child.signalCode !== null, 5000, undefined);
}

/** Ends the program and its supervisor, in ever harder ways. */
export async function endSupervised(
  places: Places,
  graceMillis: number,
  abort: AbortSignal | undefined,
): Promise<void> {
  // Withdrawn first, looked second: a supervisor that is only about to begin gives way, any other one is seen.
  await withdrawOrder(places);
  const run = await presentRun(places);
  if (!run || run.state === 'ended') return;
  const { supervisor: keeper, program } = run;
  const hasEnded = async () => !(await lives(run));
  const tell = async (name: 'SIGTERM' | 'SIGKILL') => {
    if (await signal(keeper, name === 'SIGTERM' ? 'SIGTERM' : 'SIGUSR2')) return;
    if (program) await signalGroup(program, name);
  };
  await tell('SIGTERM');
  if (await comesTrue(hasEnded, graceMillis, abort)) return;
  await tell('SIGKILL');
  if (await comesTrue(hasEnded, 5000, abort)) return;
  // A supervisor that does not listen: it and the program are ended one by one.
  if (program) await signalGroup(program, 'SIGKILL');
  await signal(keeper, 'SIGKILL');
  if (!(await comesTrue(hasEnded, 5000, abort))) throw new TimedOut('A program that was killed');
}

/** What is known of the last life, as it is now. */
export async function presentRun(places: Places): Promise<RunRecord | undefined> {
  const run = await readRun(places.root);
  if (!run || run.state === 'ended' || (await lives(run))) return run;
  // The supervisor may have written its last word meanwhile.
  const again = await readRun(places.root);
  if (again?.state === 'ended') return again;
  return {
    ...run,
    state: 'ended',
    reason:
      'It was ended together with its supervisor, by somebody else or with the machine, or its end could not be written',
  };
}

/** Whether anything of this life is there: the program, or only its supervisor. */
async function lives({ supervisor, program }: RunRecord): Promise<boolean> {
  return (await isAlive(supervisor)) || (program !== undefined && (await isAlive(program)));
}

const supervisorEnded = ({ root }: Places) =>
  `Its supervisor ended before the program began: it was stopped meanwhile, or nothing can be written to ${root}`;

/** Without a directory there was no order; and a full disk must not keep a program from being ended. */
const withdrawOrder = (places: Places): Promise<void> =>
  writeWhole(orderFile(places.root), { id: randomBytes(12).toString('hex') }).catch(() => {});

/** Whether it became so in time. */
async function comesTrue(
  ask: () => Promise<boolean>,
  millis: number,
  abort: AbortSignal | undefined,
): Promise<boolean> {
  for (const until = performance.now() + millis; ; ) {
    if (await ask()) return true;
    abort?.throwIfAborted();
    if (performance.now() >= until) return false;
    await delay(lookMillis);
  }
}
