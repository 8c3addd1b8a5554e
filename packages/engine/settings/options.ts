import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { type OptionChecks, option, readOptions } from 'headgate/driver-kit';
import type { AccessSettings } from '../access/access.js';
import { type AddressOption, addressTest } from '../access/addresses.js';

export interface LocalClusterOptions {
  /** Where logs, checkpoints and the histories of applications are kept. One engine at a time may use it. */
  readonly directory: string;
  /**
   * Modules whose exported operator classes applications may use, besides the built-in library: absolute URLs. They
   * extend `Operator` and `InputOperator` of `@headgate/operators`. Each container imports them.
   */
  readonly operators?: readonly (URL | string)[];
  /**
   * Whether application packages may bring operators in their `lib/*.mjs`. They run in containers with all that a
   * process of the host's user may do: say `true` only where everybody who may upload packages is trusted that far.
   * Default: false.
   */
  readonly packageCode?: boolean;
  /** The program that runs containers. Default: the one that runs the host. Electron needs `env: { ELECTRON_RUN_AS_NODE: '1' }` too. */
  readonly execPath?: string;
  /** More options of the runtime for containers. */
  readonly execArgv?: readonly string[];
  /** Environment of containers; nothing of the host's is inherited. Default: empty. */
  readonly env?: Readonly<Record<string, string>>;
  /** Heap limit of a container, MB. Default: 128. */
  readonly containerMemoryMB?: number;
  /**
   * Time between two records in the statistics of applications, milliseconds. Default: 10,000. An application whose
   * attribute `ENABLE_STATS_RECORDING` is false has none.
   */
  readonly statsIntervalMillis?: number;
  /** What the built-in operators may read and write. Operators of your own modules are code: they keep to it if they ask. */
  readonly files?: LocalClusterFiles;
  /**
   * What applications may connect to. `'public'`: the internet, but not this machine, private networks or a cloud's
   * metadata; `'any'`: everything; a list: these IP addresses and ranges only (`['public', '10.1.0.0/16', '::1']`).
   * Decided on the address that a name resolves to as the connection is made. Default: `'public'`.
   */
  readonly addresses?: AddressOption;
  readonly limits?: LocalClusterLimits;
}

/**
 * Folders that applications may use besides `files` in the engine's own directory, where relative paths begin. All that
 * is below them; links and `..` do not lead out. A file may be named too. `['/']` allows everything.
 */
export interface LocalClusterFiles {
  /** Default: none. */
  readonly read?: readonly string[];
  /** Does not include reading. Default: none. */
  readonly write?: readonly string[];
}

export interface LocalClusterLimits {
  /** Containers of all applications together. Default: 64. */
  readonly containers?: number;
  /** Memory of all containers together, MB. Default: that of the machine. */
  readonly memoryMB?: number;
  /** Files of one package's `lib` besides jars. Default: 1000. */
  readonly packageCodeFiles?: number;
  /** What they may hold together, bytes. Default: 32 MiB. */
  readonly packageCodeBytes?: number;
  /** How long looking at one module of a package may take, milliseconds. Default: 10,000. */
  readonly examineMillis?: number;
  /**
   * Ended applications that stay listed; the oldest are forgotten with their files. Default: 200. So are those that ended
   * longer ago than the property `platform.gateway.appDirectoryRetentionMillis` says, 30 days.
   */
  readonly endedApplications?: number;
  /** Events kept of one application, bytes; the oldest are deleted. Default: 8 MiB. */
  readonly eventBytes?: number;
  /** Statistics kept of one application, all operators and containers together, bytes; at least 16 KiB of each operator. Default: 32 MiB. */
  readonly statsBytes?: number;
  /** How long statistics are kept, milliseconds. Default: 30 days. */
  readonly statsMillis?: number;
  /** Size of a log file, of a container or of the application master, before it is rotated, bytes. Default: 10 MiB. */
  readonly logFileBytes?: number;
  /** Files kept of each log, the current one included. Default: 3. */
  readonly logFiles?: number;
  /** Containers of one application that stay listed with their logs; beyond, those that ended first are forgotten. Default: 100. */
  readonly keptContainers?: number;
  /** Bytes that may wait for the slowest reader of a stream between containers. Default: 1 MiB. */
  readonly queueBytes?: number;
  /** Bytes that a publisher keeps for readers that start again from their checkpoint. Default: 64 MiB. */
  readonly replayBytes?: number;
  /** How long containers may take to end by themselves, milliseconds. Default: 5000. */
  readonly stopMillis?: number;
  /** Recordings of one application that are kept; the next is refused until one is deleted. Default: 50. */
  readonly recordings?: number;
  /** Size at which a recording ends by itself, with the window that is open, bytes. Default: 256 MiB. */
  readonly recordingBytes?: number;
  /** How long a recording goes on at most, milliseconds. Default: an hour. */
  readonly recordingMillis?: number;
  /** A tuple with more characters of JSON is counted, not kept. Default: 262,144. */
  readonly recordedTupleBytes?: number;
  /** Size of a part file of a recording, bytes. Default: 256 KiB. */
  readonly recordingPartBytes?: number;
  /** Bytes of a recording that may wait for the disk; what comes meanwhile is counted, not kept. Default: 4 MiB. */
  readonly recordingQueueBytes?: number;
  /**
   * Of the time that a container's thread works, what its recordings may take together, percent; of the time in which it
   * has nothing to do they may take a quarter. Tuples of a window beyond it are counted, not kept. Default: 3.
   */
  readonly recordingCpuPercent?: number;
  /** Tuples that a recording shows on its topic at most, a second. Default: 100. */
  readonly recordingLivePerSecond?: number;
  /**
   * How long a change of a plan may wait for its new containers and for the end of a window, milliseconds; then it is
   * refused. Default: 30,000.
   */
  readonly changeMillis?: number;
}

export interface LocalClusterSettings {
  readonly directory: string;
  readonly modules: readonly string[];
  readonly packageCode: boolean;
  readonly execPath: string;
  readonly execArgv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly containerMemoryMB: number;
  readonly statsIntervalMillis: number;
  readonly access: AccessSettings;
  readonly cores: number;
  readonly limits: Required<LocalClusterLimits>;
}

/** Timers can't wait longer. */
const longestInterval = 2 ** 31 - 1;

const defaultLocalLimits: Required<LocalClusterLimits> = {
  containers: 64,
  memoryMB: Math.floor(totalmem() / 1048576),
  packageCodeFiles: 1000,
  packageCodeBytes: 32 * 1024 * 1024,
  examineMillis: 10_000,
  endedApplications: 200,
  eventBytes: 8 * 1024 * 1024,
  statsBytes: 32 * 1024 * 1024,
  statsMillis: 30 * 86_400_000,
  logFileBytes: 10 * 1024 * 1024,
  logFiles: 3,
  keptContainers: 100,
  queueBytes: 1024 * 1024,
  replayBytes: 64 * 1024 * 1024,
  stopMillis: 5000,
  recordings: 50,
  recordingBytes: 256 * 1024 * 1024,
  recordingMillis: 3_600_000,
  recordedTupleBytes: 256 * 1024,
  recordingPartBytes: 256 * 1024,
  recordingQueueBytes: 4 * 1024 * 1024,
  recordingCpuPercent: 3,
  recordingLivePerSecond: 100,
  changeMillis: 30_000,
};

const isText = (value: unknown) => typeof value === 'string';

const localClusterOptions: OptionChecks<LocalClusterOptions> = {
  directory: option.needed(option.path, 'where it keeps logs and checkpoints'),
  operators: option.listOf({
    problem: (given, { caller, path }) =>
      URL.canParse(String(given))
        ? undefined
        : `${caller}: ${path} must be a whole URL, such as import.meta.resolve('./operators.js'), not ${JSON.stringify(given)}`,
  }),
  packageCode: option.flag,
  execPath: option.program,
  execArgv: option.listOf(option.text),
  env: option.valuesOf(option.text),
  containerMemoryMB: option.atLeast(1),
  statsIntervalMillis: option.between(1, longestInterval),
  files: option.group<LocalClusterFiles>({
    read: option.listOf(option.path),
    write: option.listOf(option.path),
  }),
  addresses: {
    problem: (given, { caller, path }) =>
      given === 'any' || given === 'public' || (Array.isArray(given) && given.every(isText))
        ? undefined
        : `${caller}: ${path} must be 'public', 'any' or a list such as ['public', '10.1.0.0/16']`,
  },
  limits: option.limits(defaultLocalLimits, 0),
};

/** Throws a `TypeError` for what can't be used. */
export function settingsFrom(given: LocalClusterOptions): LocalClusterSettings {
  const options = readOptions('localCluster', given, localClusterOptions);
  const { directory, addresses = 'public', files = {} } = options;
  addressTest(addresses);
  return {
    directory,
    modules: (options.operators ?? []).map(String),
    packageCode: options.packageCode ?? false,
    execPath: options.execPath ?? process.execPath,
    execArgv: options.execArgv ?? [],
    env: options.env ?? {},
    containerMemoryMB: options.containerMemoryMB ?? 128,
    statsIntervalMillis: options.statsIntervalMillis ?? 10_000,
    access: {
      folder: join(directory, 'files'),
      read: files.read ?? [],
      write: files.write ?? [],
      addresses,
    },
    cores: availableParallelism(),
    limits: { ...defaultLocalLimits, ...options.limits },
  };
}
