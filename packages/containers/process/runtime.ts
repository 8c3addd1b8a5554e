import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ContainerFailed,
  type ContainerRuntime,
  type ContainerSpec,
  NotReady,
  type SpecProblem,
} from 'headgate/driver-kit';
import { type Command, readCommand } from './command.js';
import { saidOfDisk } from './disk-problems.js';
import { memoryByGroup } from './memory.js';
import { type ProcessRuntimeOptions, readProcessOptions } from './options.js';
import { fetchProgram, findProgram, type Places, placesIn } from './program.js';
import { reportOf } from './report.js';
import { startProgram } from './start.js';
import { endSupervised, presentRun, requireSupervisor } from './supervision.js';

/**
 * Runs services of type `container` as programs of this machine, where there is no container runtime. Each has a
 * directory, an environment and a log of its own, and a small supervising process; it runs as the user of the host,
 * and sees the files and the network that this user sees.
 */
export function processRuntime(options: ProcessRuntimeOptions): ContainerRuntime {
  const { directory, execPath, env, limits } = readProcessOptions(options);
  let home: string | undefined;

  function requireHome(): string {
    if (home === undefined) throw new NotReady('The process runtime has not been opened');
    return home;
  }

  const placesOf = (name: string): Places => placesIn(join(requireHome(), name));

  return {
    name: 'process',

    async open({ owner }) {
      await requireSupervisor();
      home = join(directory, owner);
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
      const run = await startProgram(placesOf(spec.name), spec, {
        command: commandOf(spec),
        env,
        limits,
        execPath,
        abort,
      });
      return reportOf(spec.name, run, new Map());
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
