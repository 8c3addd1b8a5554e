import { availableParallelism, totalmem } from 'node:os';

export interface LocalClusterOptions {
  /** Where logs, checkpoints and the histories of applications are kept. One engine at a time may use it. */
  readonly directory: string;
  /** Modules whose exported operator classes applications may use, besides the built-in library: absolute URLs. */
  readonly operators?: readonly (URL | string)[];
  /** The program that runs containers. Default: the one that runs the host. Electron needs `env: { ELECTRON_RUN_AS_NODE: '1' }` too. */
  readonly execPath?: string;
  /** More options of the runtime for containers. */
  readonly execArgv?: readonly string[];
  /** Environment of containers; nothing of the host's is inherited. Default: empty. */
  readonly env?: Readonly<Record<string, string>>;
  /** Heap limit of a container, MB. Default: 128. */
  readonly containerMemoryMB?: number;
  readonly limits?: LocalClusterLimits;
}

export interface LocalClusterLimits {
  /** Containers of all applications together. Default: 64. */
  readonly containers?: number;
  /** Memory of all containers together, MB. Default: that of the machine. */
  readonly memoryMB?: number;
  /** Ended applications that stay listed; the oldest are forgotten with their files. Default: 200. */
  readonly endedApplications?: number;
  /** Events of one application that can be read. Default: 5000. */
  readonly events?: number;
  /** Size of a log file before it is rotated, bytes. Default: 10 MiB. */
  readonly logFileBytes?: number;
  /** Files kept of each log, the current one included. Default: 3. */
  readonly logFiles?: number;
  /** Bytes that may wait for the slowest reader of a stream between containers. Default: 1 MiB. */
  readonly queueBytes?: number;
  /** Bytes that a publisher keeps for readers that start again from their checkpoint. Default: 64 MiB. */
  readonly replayBytes?: number;
  /** How long containers may take to end by themselves, milliseconds. Default: 5000. */
  readonly stopMillis?: number;
}

export interface LocalClusterSettings {
  readonly directory: string;
  readonly modules: readonly string[];
  readonly execPath: string;
  readonly execArgv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly containerMemoryMB: number;
  readonly cores: number;
  readonly limits: Required<LocalClusterLimits>;
}

export function settingsFrom(options: LocalClusterOptions): LocalClusterSettings {
  return {
    directory: options.directory,
    modules: (options.operators ?? []).map(String),
    execPath: options.execPath ?? process.execPath,
    execArgv: options.execArgv ?? [],
    env: options.env ?? {},
    containerMemoryMB: options.containerMemoryMB ?? 128,
    cores: availableParallelism(),
    limits: {
      containers: 64,
      memoryMB: Math.floor(totalmem() / 1048576),
      endedApplications: 200,
      events: 5000,
      logFileBytes: 10 * 1024 * 1024,
      logFiles: 3,
      queueBytes: 1024 * 1024,
      replayBytes: 64 * 1024 * 1024,
      stopMillis: 5000,
      ...options.limits,
    },
  };
}
