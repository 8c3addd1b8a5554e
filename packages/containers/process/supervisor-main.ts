import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ProcessIdentity, signalGroup, startOf } from './identity.js';
import { listens } from './listens.js';
import { memoryByGroup } from './memory.js';
import { orderFile, type RunOrder, type RunRecord, runFile, writeWhole } from './record.js';
import { runProgram } from './run-program.js';

// A process between gateway and program, one a service: it keeps the log within its limit, watches the memory, and
// knows how the program ended, also while there is no gateway. It lives as long as the program.

const [, , directory = '', id = ''] = process.argv;
/** Between two looks at the memory. */
const lookMillis = 500;
/** Between two tries to write what could not be written. */
const againMillis = 500;
/** Tries for the last word: the program counts as running as long as its supervisor lives. */
const lastTries = 10;
/** What could not be read now, for want of file handles, is read at the next look. */
const unknown: ReadonlyMap<number, number> = new Map();

async function identityOf(pid: number): Promise<ProcessIdentity> {
  return { pid, started: (await startOf(pid)) ?? '' };
}

async function main(): Promise<void> {
  // From the beginning: one that is told to end while it begins must not start anything any more.
  const ending = createEnding();
  // SIGTERM asks the program to end, SIGUSR2 ends it.
  process.on('SIGTERM', () => ending.end('It was stopped', 'SIGTERM'));
  process.on('SIGUSR2', () => ending.end('It was stopped, and did not end by itself', 'SIGKILL'));

  const order: RunOrder = JSON.parse(await readFile(orderFile(directory), 'utf8'));
  if (order.id !== id) return;
  const told = createTold({
    id,
    revision: order.revision,
    startedTime: Date.now(),
    supervisor: await identityOf(process.pid),
    state: 'starting',
    ports: [...order.ports],
  });
  const { tell } = told;
  // What nobody can know of must not run: it would be started a second time.
  if (!(await tell({}))) return;
  // Told first, looked second: of two that start at the same time one sees the other.
  const newest: RunOrder = JSON.parse(await readFile(orderFile(directory), 'utf8'));
  const superseded = newest.id === id ? undefined : 'It was stopped, or started again, before it began';
  const before = ending.why() ?? superseded;
  if (before !== undefined) {
    await tell({ state: 'ended', reason: before });
    return;
  }

  const program = runProgram(order, join(directory, 'logs', 'output.log'), ending.why);
  const leader = await ending.of(program.pid);
  if (leader) await tell({ program: leader, ...(order.ports.length === 0 ? { state: 'running' } : {}) });
  const watching = watch(order, leader, told, ending);
  const reason = await program.ended;
  watching.stop();
  if (leader) endGroup(leader);
  for (let left = lastTries; !(await tell({ state: 'ended', reason })) && left > 0; left--)
    await new Promise((resolve) => setTimeout(resolve, againMillis));
  program.closeLog();
}

/** Ends the program, and keeps why. */
function createEnding() {
  let why: string | undefined;
  let program: Promise<ProcessIdentity> | undefined;
  return {
    why: () => why,
    /** Resolves the program that ends from now on; `undefined`: it could not be started. */
    async of(pid: number | undefined) {
      if (pid !== undefined) program = identityOf(pid);
      return program;
    },
    end(sentence: string, name: 'SIGTERM' | 'SIGKILL') {
      why = sentence;
      void program?.then((leader) => signalGroup(leader, name));
    },
  };
}

/** What happens again and again while the program runs: its memory, what could not be written, and whether it listens. */
function watch(
  { memoryBytes, ports }: RunOrder,
  leader: ProcessIdentity | undefined,
  { tell, isWritten }: ReturnType<typeof createTold>,
  { end }: ReturnType<typeof createEnding>,
) {
  const looks = setInterval(async () => {
    if (!leader || memoryBytes === undefined) return;
    const used = (await memoryByGroup(new Set([leader.pid])).catch(() => unknown)).get(leader.pid) ?? 0;
    if (used > memoryBytes)
      end(
        `It used ${megabytes(used)} MB of memory, more than its limit of ${megabytes(memoryBytes)} MB`,
        'SIGKILL',
      );
  }, lookMillis);
  const untold = setInterval(async () => {
    if (!(await isWritten())) void tell({});
  }, againMillis);
  const stopping = new AbortController();
  const [port] = ports;
  if (leader && port !== undefined)
    void listens(port, stopping.signal).then((yes) => (yes ? tell({ state: 'running' }) : undefined));
  return {
    stop() {
      stopping.abort();
      clearInterval(looks);
      clearInterval(untold);
    },
  };
}

/** What the program left behind in its group; the group's number is not given away while somebody is in it. */
function endGroup({ pid }: ProcessIdentity): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody is left.
  }
}

/** What the gateway is told of the run. One after the other: what was told last is what stays. */
function createTold(first: RunRecord) {
  let record = first;
  let telling = Promise.resolve(false);
  return {
    /** Resolves whether it is written. */
    tell(change: Partial<RunRecord>): Promise<boolean> {
      record = { ...record, ...change };
      const whole = record;
      const write = () => writeWhole(runFile(directory), whole);
      telling = telling.then(write).then(
        () => true,
        () => false,
      );
      return telling;
    },
    /** Of the last. */
    isWritten: () => telling,
  };
}

const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0);

await main();
process.exit();
