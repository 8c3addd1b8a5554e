import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  Conflict,
  ContainerFailed,
  type ContainerReport,
  type ContainerRuntime,
  type ContainerSpec,
  NotReady,
  ownedProcess,
  TimedOut,
} from '../../../lib/driver-kit.js';
import { type Command, readCommand } from './command.js';
import { isAlive, signal, signalGroup } from './identity.js';
import { memoryByGroup } from './memory.js';
import { type ProcessRuntimeOptions, readOptions } from './options.js';
import { freePorts } from './ports.js';
import { fetchProgram, findProgram, type Places, placesIn } from './program.js';
import { orderFile, type RunOrder, type RunRecord, readRun, writeWhole } from './record.js';

const supervisor = fileURLToPath(new URL('./supervisor-main.js', import.meta.url));
/** Milliseconds between two looks at the file that a supervisor writes. */
const lookMillis = 25;
/** Milliseconds until a supervisor must have told of itself. */
const supervisorMillis = 15_000;

/**
 * Runs services of type `container` as programs of this machine, where there is no container runtime. Each has a
 * directory, an environment and a log of its own, and a small supervising process; it runs as the user of the host,
 * and sees the files and the network that this user sees.
 */
export function processRuntime(options: ProcessRuntimeOptions): ContainerRuntime {
  const { directory, execPath, env, limits } = readOptions(options);
  let home: string | undefined;

  function requireHome(): string {
    if (home === undefined) throw new NotReady('The process runtime has not been opened');
    return home;
  }

  const placesOf = (name: string): Places => placesIn(join(requireHome(), name));

  function commandOf({ run }: ContainerSpec): Command {
    const read = readCommand(run, 'known');
    if (read.problem === undefined) return read.command;
    throw new ContainerFailed(`run: ${read.problem}`);
  }

  /** Whether anything of this life is there: the program, or only its supervisor. */
  async function lives({ supervisor, program }: RunRecord): Promise<boolean> {
    return (await isAlive(supervisor)) || (program !== undefined && (await isAlive(program)));
  }

  async function present(places: Places): Promise<RunRecord | undefined> {
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

  function environment(places: Places, command: Command, ports: readonly number[]): Record<string, string> {
    const [port] = ports;
    return {
      ...env,
      HOME: places.data,
      SERVICE_DATA: places.data,
      ...(port === undefined ? {} : { PORT: String(port), PORTS: ports.join(',') }),
      ...command.env,
    };
  }

  async function launch(places: Places, order: RunOrder, abort: AbortSignal | undefined): Promise<RunRecord> {
    await writeWhole(orderFile(places.root), order).catch(saidOfDisk(places));
    const running = await present(places);
    if (running && running.state !== 'ended') throw new Conflict('It runs already');
    const child = ownedProcess(
      spawn(execPath, ['--max-old-space-size=32', supervisor, places.root, order.id], {
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

  async function end(places: Places, graceMillis: number, abort: AbortSignal | undefined): Promise<void> {
    // Withdrawn first, looked second: a supervisor that is only about to begin gives way, any other one is seen.
    await withdrawOrder(places);
    const run = await present(places);
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

  async function runExec(
    places: Places,
    spec: ContainerSpec,
    command: Command,
    ports: readonly number[],
    abort?: AbortSignal,
  ) {
    const [program = '', ...args] = spec.exec ?? [];
    const own = environment(places, command, ports);
    const path = await findProgram(places, program, own['PATH'] ?? '');
    await new Promise<void>((resolve, reject) => {
      const options = {
        cwd: join(places.program, command.workdir),
        env: own,
        timeout: limits.execMillis,
        killSignal: 'SIGKILL' as const,
        maxBuffer: 1024 * 1024,
        ...(abort ? { signal: abort } : {}),
      };
      ownedProcess(
        execFile(path, args, options, (error, stdout, stderr) => {
          if (!error) return resolve();
          const said = (stderr || stdout).trimEnd().split('\n').at(-1)?.slice(0, 300);
          const how = error.killed
            ? `did not end within ${limits.execMillis} ms`
            : `ended with code ${error.code}`;
          reject(new ContainerFailed(`exec: ${program} ${how}${said ? `: ${said}` : ''}`, error));
        }),
      );
    });
  }

  const reportOf = (name: string, run: RunRecord, used: ReadonlyMap<number, number>): ContainerReport => {
    const bytes = run.program && run.state !== 'ended' ? used.get(run.program.pid) : undefined;
    const [port] = run.ports;
    return {
      id: run.id,
      name,
      revision: run.revision,
      state: run.state,
      startedTime: run.startedTime,
      ...(run.reason === undefined ? {} : { reason: run.reason }),
      ...(bytes === undefined ? {} : { memoryMB: Math.round(bytes / 1024 / 1024) }),
      metadata: { ip: '127.0.0.1', ...(port === undefined ? {} : { port: String(port) }) },
    };
  };

  return {
    name: 'process',

    async open({ owner }) {
      home = resolve(directory, owner);
      await mkdir(home, { recursive: true, mode: 0o700 });
    },

    async info({ signal: abort } = {}) {
      abort?.throwIfAborted();
      return { version: process.versions.node };
    },

    check({ run, exec, srcUrl = 'file:///' }) {
      if (!/^(https?:|file:|\$\{)/i.test(srcUrl))
        return [{ field: 'srcUrl', message: `${srcUrl} does not begin with http:, https: or file:` }];
      const { problem } = readCommand(run, 'open');
      if (problem !== undefined) return [{ field: 'run', message: problem }];
      const [program = ''] = exec ?? [];
      return program.startsWith('-')
        ? [{ field: 'exec', message: `${program}: options are not offered here` }]
        : [];
    },

    async install(spec, { signal: abort = new AbortController().signal, onProgress } = {}) {
      const places = placesOf(spec.name);
      const { program } = commandOf(spec);
      await fetchProgram(places, spec.srcUrl, {
        limits,
        signal: abort,
        ...(onProgress ? { onProgress } : {}),
      }).catch(saidOfDisk(places));
      await findProgram(places, program, env['PATH'] ?? '');
    },

    async start(spec, { signal: abort } = {}) {
      abort?.throwIfAborted();
      const places = placesOf(spec.name);
      const command = commandOf(spec);
      const running = await present(places);
      if (running && running.state !== 'ended') throw new Conflict(`${spec.name} runs already`);
      const ports = await freePorts(command.ports);
      const own = environment(places, command, ports);
      const memoryBytes = command.memoryBytes ?? limits.memoryBytes;
      const order = {
        id: randomBytes(12).toString('hex'),
        revision: spec.revision,
        program: await findProgram(places, command.program, own['PATH'] ?? ''),
        args: command.args,
        cwd: join(places.program, command.workdir),
        env: own,
        ports,
        ...(Number.isFinite(memoryBytes) ? { memoryBytes } : {}),
        logBytes: limits.logBytes,
        logFiles: limits.logFiles,
      };
      const run = await launch(places, order, abort);
      try {
        if (spec.exec && run.state !== 'ended') await runExec(places, spec, command, ports, abort);
      } catch (error) {
        await end(places, 1000, undefined);
        throw error;
      }
      return reportOf(spec.name, (await present(places)) ?? run, new Map());
    },

    stop: (name, { graceMillis, signal: abort }) => end(placesOf(name), graceMillis, abort),

    async remove(name, { signal: abort } = {}) {
      const places = placesOf(name);
      await end(places, 0, abort);
      await rm(places.root, { recursive: true, force: true, maxRetries: 3 });
    },

    async list({ signal: abort } = {}) {
      abort?.throwIfAborted();
      const names = await readdir(requireHome());
      const runs = await Promise.all(
        names.map(async (name) => ({ name, run: await present(placesOf(name)) })),
      );
      const living = runs.flatMap(({ run }) =>
        run?.program && run.state !== 'ended' ? [run.program.pid] : [],
      );
      const used = living.length > 0 ? await memoryByGroup(new Set(living)) : new Map();
      return runs.flatMap(({ name, run }) => (run ? [reportOf(name, run, used)] : []));
    },

    close: async () => {},
  };
}

/** Said by the disk, or about a file of this program: one that does not take part of a change may deny the rest of it. */
const isOfDisk = (error: unknown, { root }: Places): error is Error =>
  error instanceof Error &&
  'code' in error &&
  (/^(ENOSPC|EDQUOT|EIO|EROFS)$/.test(String(error.code)) ||
    ('path' in error && String(error.path).startsWith(root)));

/** What the disk refuses is told in words that say what to do. */
const saidOfDisk =
  (places: Places) =>
  (error: unknown): never => {
    throw isOfDisk(error, places) ? new ContainerFailed(unwritable(places, error), error) : error;
  };

const unwritable = ({ root }: Places, { message }: Error) =>
  `The program can't be written to ${root} (${message}): make room on that disk, or mend it`;

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
