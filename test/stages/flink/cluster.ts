import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../../helpers/ports.js';
import { eventually } from '../../helpers/waiting.js';
import { type Daemon, startDaemon } from '../yarn/daemon.js';
import type { FlinkParts } from './artifacts.js';
import { type FlinkOptions, heapMB, portNames, writeConfiguration } from './configuration.js';
import { accessOptions, shortLived } from './java-options.js';

/** A standalone cluster of Flink on the loopback: a job manager and task managers, each a process. */
export interface FlinkCluster {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly rest: string;
  /** All files of the cluster: `conf`, `logs`, `checkpoints`, `savepoints`. */
  readonly directory: string;
  readonly jobManager: Daemon;
  /** Ends it, as a crash does, and starts another at its place, which knows nothing of the jobs before. */
  restartJobManager(): Promise<void>;
  /** Those that run, by their resource ids: `tm1`, `tm2`. */
  readonly taskManagers: ReadonlyMap<string, Daemon>;
  /** Starts one more and waits until the job manager has it. Resolves its resource id. */
  startTaskManager(): Promise<string>;
  /** Ends one; SIGKILL is what a crash is. */
  stopTaskManager(id: string, signal?: NodeJS.Signals): Promise<void>;
  /** Ends everything and removes its files. */
  close(): Promise<void>;
}

export interface FlinkClusterOptions {
  /** Default: 1. */
  readonly taskManagers?: number;
  /** Slots of each task manager. Default: 4. */
  readonly slots?: number;
  /** On top of what `configuration.ts` says: `{ 'execution.checkpointing.interval': '2s' }`. */
  readonly options?: FlinkOptions;
  /** A directory with more jars for all processes. */
  readonly libraries?: string;
  /** What their JVMs are told of collectors and compilers. Default: `shortLived`. */
  readonly machine?: readonly string[];
}

/** Resolves when all task managers have offered their slots. */
export async function startFlink(
  parts: FlinkParts,
  {
    taskManagers: count = 1,
    slots = 4,
    options = {},
    libraries,
    machine = shortLived,
  }: FlinkClusterOptions = {},
): Promise<FlinkCluster> {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-flink-'));
  const ports = await freePorts(portNames);
  const conf = await writeConfiguration(directory, ports, slots, options);
  const logs = join(directory, 'logs');
  for (const folder of [logs, join(directory, 'tmp')]) await mkdir(folder);
  const rest = `http://127.0.0.1:${ports.rest}`;
  const taskManagers = new Map<string, Daemon>();
  const classPath = [parts.jars, ...(libraries === undefined ? [] : [libraries])]
    .map((jars) => `${jars}/*`)
    .join(':');
  let started = 0;

  /** Each has a folder for its logs, as on a machine of its own. */
  async function java(name: string, ...args: string[]): Promise<Daemon> {
    const own = join(logs, name);
    await mkdir(own, { recursive: true });
    return startDaemon({
      name,
      command: `${parts.java}java`,
      args: [
        ...machine,
        ...accessOptions,
        `-Xlog:gc:file=${join(own, 'gc.log')}:time,level,tags`,
        `-Dlog.file=${join(own, `${name}.log`)}`,
        `-Dlog4j.configurationFile=file:${join(conf, 'log4j.properties')}`,
        ...['-cp', classPath, ...args, '--configDir', conf],
      ],
      cwd: directory,
      env: {},
      log: join(own, `${name}.out`),
    });
  }

  /** What the processes said last, for messages. */
  const tails = async () => {
    const files = (await readdir(logs, { recursive: true }))
      .filter((file) => /\.(log|out)$/.test(file))
      .sort();
    const texts = files.map(async (file) => (await readFile(join(logs, file), 'utf8')).slice(-2000));
    return (await Promise.all(texts)).map((text, i) => `--- ${files[i]}\n${text}`).join('\n');
  };
  const close = async () => {
    // Nothing of it is needed any more.
    await Promise.all([...taskManagers.values(), jobManager].map((daemon) => daemon.stop('SIGKILL')));
    await rm(directory, { recursive: true, force: true });
  };
  /** Until the job manager has so many task managers. */
  const registered = (wanted: () => number) =>
    eventually(async () => {
      for (const daemon of [jobManager, ...taskManagers.values()]) await daemon.check();
      const reply = await fetch(`${rest}/taskmanagers`).catch(() => undefined);
      if (!reply?.ok) return undefined;
      const { taskmanagers } = (await reply.json()) as {
        taskmanagers: { id: string; slotsNumber: number }[];
      };
      const offering = taskmanagers.filter(({ id, slotsNumber }) => taskManagers.has(id) && slotsNumber > 0);
      return offering.length >= wanted() || undefined;
    }, 100).catch(async (error) => {
      throw new Error(`Flink did not start: ${error}\n${await tails()}`);
    });
  const launchTaskManager = async () => {
    const id = `tm${++started}`;
    const memory = [
      `-Xmx${heapMB.taskManager}m`,
      `-Xms${heapMB.taskManager}m`,
      '-XX:MaxDirectMemorySize=256m',
    ];
    const runner = 'org.apache.flink.runtime.taskexecutor.TaskManagerRunner';
    const own = ['-D', `taskmanager.resource-id=${id}`];
    taskManagers.set(id, await java(id, ...memory, runner, ...own));
    return id;
  };

  const entry = 'org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint';
  const launchJobManager = () => java('jobmanager', `-Xmx${heapMB.jobManager}m`, entry);
  let jobManager = await launchJobManager();
  try {
    for (let i = 0; i < count; i++) await launchTaskManager();
    await registered(() => count);
  } catch (error) {
    await close();
    throw error;
  }

  return {
    rest,
    directory,
    get jobManager() {
      return jobManager;
    },
    async restartJobManager() {
      await jobManager.stop('SIGKILL');
      jobManager = await launchJobManager();
      await registered(() => taskManagers.size);
    },
    taskManagers,
    async startTaskManager() {
      const id = await launchTaskManager();
      await registered(() => taskManagers.size);
      return id;
    },
    async stopTaskManager(id, signal) {
      const daemon = taskManagers.get(id);
      if (!daemon) throw new Error(`There is no task manager ${id}`);
      taskManagers.delete(id);
      await daemon.stop(signal);
    },
    close,
  };
}
