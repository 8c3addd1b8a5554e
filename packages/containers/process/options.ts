import { dirname } from 'node:path';
import { type OptionChecks, option, readOptions } from 'headgate/driver-kit';

export interface ProcessRuntimeOptions {
  /** Made when it is not there. Each service gets a directory of its own in it. */
  readonly directory: string;
  /** Of the Node that supervises each program. Default: the one that runs now. */
  readonly execPath?: string;
  /** Environment of every program, besides `PATH`, `HOME`, `LANG` and `SERVICE_DATA`. Nothing of the host's goes along. */
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: Partial<ProcessLimits>;
}

export interface ProcessLimits {
  /** Bytes that are fetched from a `srcUrl`. Default: 2 GiB. */
  readonly fetchBytes: number;
  /** Bytes that an archive may unpack to. Default: 8 GiB. */
  readonly unpackedBytes: number;
  /** Files in an archive. Default: 100,000. */
  readonly files: number;
  /** Memory of a service that asks for no limit of its own, bytes. Default: none. */
  readonly memoryBytes: number;
  /** Bytes of one log file, before the next one is begun. Default: 10 MiB. */
  readonly logBytes: number;
  /** Log files kept besides the present one. Default: 4. */
  readonly logFiles: number;
  /** Milliseconds that `exec` may take. Default: 1 min. */
  readonly execMillis: number;
}

export const defaultProcessLimits: ProcessLimits = {
  fetchBytes: 2 * 1024 ** 3,
  unpackedBytes: 8 * 1024 ** 3,
  files: 100_000,
  memoryBytes: Number.POSITIVE_INFINITY,
  logBytes: 10 * 1024 ** 2,
  logFiles: 4,
  execMillis: 60_000,
};

interface ReadOptions {
  readonly directory: string;
  readonly execPath: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: ProcessLimits;
}

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const processRuntimeOptions: OptionChecks<ProcessRuntimeOptions> = {
  directory: option.needed(option.path, 'where it keeps what services write'),
  execPath: option.program,
  env: option.valuesOf(option.text),
  limits: option.limits(defaultProcessLimits),
};

/** Throws `TypeError` naming the option that can't be used. */
export function readProcessOptions(given: ProcessRuntimeOptions): ReadOptions {
  const options = readOptions('processRuntime', given, processRuntimeOptions);
  const { directory, execPath = process.execPath, env = {} } = options;
  // The Node that is there comes last, so that `node` is always found.
  const path = `${systemPath}:${dirname(execPath)}`;
  return {
    directory,
    execPath,
    env: { PATH: path, LANG: 'C.UTF-8', ...env },
    limits: { ...defaultProcessLimits, ...options.limits },
  };
}
