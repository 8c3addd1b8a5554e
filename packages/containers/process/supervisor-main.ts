import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { type ProcessIdentity, signalGroup, startOf } from './identity.js';
import { rollingLog } from './log.js';
import { memoryByGroup } from './memory.js';
import { orderFile, type RunOrder, type RunRecord, runFile, writeWhole } from './record.js';

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
  let why: string | undefined;
  let program: Promise<ProcessIdentity> | undefined;
  // From the beginning: one that is told to end while it begins must not start anything any more.
  const endAs = (sentence: string, name: 'SIGTERM' | 'SIGKILL') => () => {
    why = sentence;
    void program?.then((leader) => signalGroup(leader, name));
  };
  // SIGTERM asks the program to end, SIGUSR2 ends it.
  process.on('SIGTERM', endAs('It was stopped', 'SIGTERM'));
  process.on('SIGUSR2', endAs('It was stopped, and did not end by itself', 'SIGKILL'));

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
  if (newest.id !== id) why ??= 'It was stopped, or started again, before it began';
  if (why !== undefined) {
    await tell({ state: 'ended', reason: why });
    return;
  }

  const log = rollingLog(join(directory, 'logs', 'output.log'), order.logBytes, order.logFiles);
  let tail = '';
  const take = (bytes: Buffer) => {
    log.write(bytes);
    tail = (tail + bytes.toString('utf8')).slice(-2000);
  };
  const child = spawn(order.program, order.args, {
    cwd: order.cwd,
    env: order.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that all that it starts ends with it.
    detached: true,
  });
  child.stdout.on('data', take);
  child.stderr.on('data', take);

  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`${order.program} can't be started: ${error.message}`));
    child.once('exit', (code, signal) => {
      const last = tail.trimEnd().split('\n').at(-1)?.slice(0, 300);
      const how = signal === null ? `with code ${code}` : `by ${signal}`;
      resolve(why ?? `It ended ${how}${last ? `: ${last}` : ''}`);
    });
  });
  if (child.pid !== undefined) program = identityOf(child.pid);
  const leader = await program;
  if (leader) await tell({ program: leader, ...(order.ports.length === 0 ? { state: 'running' } : {}) });
  const looks = setInterval(async () => {
    if (!leader || order.memoryBytes === undefined) return;
    const used = (await memoryByGroup(new Set([leader.pid])).catch(() => unknown)).get(leader.pid) ?? 0;
    if (used <= order.memoryBytes) return;
    why = `It used ${megabytes(used)} MB of memory, more than its limit of ${megabytes(order.memoryBytes)} MB`;
    void signalGroup(leader, 'SIGKILL');
  }, lookMillis);
  const untold = setInterval(async () => {
    if (!(await told.isWritten())) void tell({});
  }, againMillis);
  const isReady = new AbortController();
  const [port] = order.ports;
  if (leader && port !== undefined)
    void listens(port, isReady.signal).then((yes) => (yes ? tell({ state: 'running' }) : undefined));

  const reason = await ended;
  isReady.abort();
  clearInterval(looks);
  clearInterval(untold);
  // What it left behind in its group goes too; the group's number is not given away while somebody is in it.
  if (leader) {
    try {
      process.kill(-leader.pid, 'SIGKILL');
    } catch {
      // Nobody is left.
    }
  }
  for (let left = lastTries; !(await tell({ state: 'ended', reason })) && left > 0; left--)
    await new Promise((resolve) => setTimeout(resolve, againMillis));
  log.close();
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

async function listens(port: number, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const answered = await new Promise<boolean>((resolve) => {
      const socket = createConnection({ port, host: '127.0.0.1' });
      const done = (yes: boolean) => {
        socket.destroy();
        resolve(yes);
      };
      socket.once('connect', () => done(true)).once('error', () => done(false));
      socket.setTimeout(1000, () => done(false));
    });
    if (answered) return !signal.aborted;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0);

await main();
process.exit();
