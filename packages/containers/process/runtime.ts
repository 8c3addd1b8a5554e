import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  Conflict,
  ContainerFailed,
  type ContainerReport,
  type ContainerRuntime,
  type ContainerSpec,
  NotReady,
  type SpecProblem,
} from 'headgate/driver-kit';
import { type Command, readCommand } from './command.js';
import { saidOfDisk } from './disk-problems.js';
import { execCommand } from './exec-command.js';
import { memoryByGroup } from './memory.js';
import { type ProcessRuntimeOptions, readOptions } from './options.js';
import { freePorts } from './ports.js';
import { fetchProgram, findProgram, type Places, placesIn } from './program.js';
import type { RunRecord } from './record.js';
import { endSupervised, presentRun, startSupervised } from './supervision.js';

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

    check,

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
      const running = await presentRun(places);
      if (running && running.state !== 'ended')
        throw new Conflict('CONTAINER_RUNNING', `${spec.name} runs already`);
      const ports = await freePorts(command.ports);
      const own = environmentOf(env, places, command, ports);
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
      const run = await startSupervised(places, order, { execPath, abort });
      try {
        if (spec.exec && run.state !== 'ended')
          await execCommand(places, spec.exec, {
            cwd: order.cwd,
            env: own,
            timeoutMillis: limits.execMillis,
            signal: abort,
          });
      } catch (error) {
        await endSupervised(places, 1000, undefined);
        throw error;
      }
      return reportOf(spec.name, (await presentRun(places)) ?? run, new Map());
    },

    stop: (name, { graceMillis, signal: abort }) => endSupervised(placesOf(name), graceMillis, abort),

    async remove(name, { signal: abort } = {}) {
      const places = placesOf(name);
      await endSupervised(places, 0, abort);
      await rm(places.root, { recursive: true, force: true, maxRetries: 3 });
    },

    async list({ signal: abort } = {}) {
      abort?.throwIfAborted();
      const names = await readdir(requireHome());
      const runs = await Promise.all(
        names.map(async (name) => ({ name, run: await presentRun(placesOf(name)) })),
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

function check({ run, exec, srcUrl = 'file:///' }: ContainerSpec): SpecProblem[] {
  if (!/^(https?:|file:|\$\{)/i.test(srcUrl))
    return [{ field: 'srcUrl', message: `${srcUrl} does not begin with http:, https: or file:` }];
  const { problem } = readCommand(run, 'open');
  if (problem !== undefined) return [{ field: 'run', message: problem }];
  const [program = ''] = exec ?? [];
  return program.startsWith('-')
    ? [{ field: 'exec', message: `${program}: options are not offered here` }]
    : [];
}

function commandOf({ run }: ContainerSpec): Command {
  const read = readCommand(run, 'known');
  if (read.problem === undefined) return read.command;
  throw new ContainerFailed(`run: ${read.problem}`);
}

/** Nothing of the gateway's own environment goes along. */
function environmentOf(
  env: Readonly<Record<string, string>>,
  places: Places,
  command: Command,
  ports: readonly number[],
): Record<string, string> {
  const [port] = ports;
  return {
    ...env,
    HOME: places.data,
    SERVICE_DATA: places.data,
    ...(port === undefined ? {} : { PORT: String(port), PORTS: ports.join(',') }),
    ...command.env,
  };
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
