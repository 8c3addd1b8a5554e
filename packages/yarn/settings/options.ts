import {
  type OptionCheck,
  type OptionChecks,
  option,
  readOptions,
  requireArgument,
  type TlsOptions,
} from 'headgate/driver-kit';
import type { CliOptions } from '../commands/cli.js';
import type { Authorize } from '../wire/authorized.js';

/** What a host says of its cluster. */
export interface YarnClusterOptions {
  /** Base URL of the resource manager, `http://rm.example.org:8088`; all of them where there are several. */
  readonly resourceManager: string | readonly string[];
  /**
   * Where applications keep their files: base URL of the name node, `http://nn.example.org:50070` (WebHDFS; all of them
   * where there are several), or `file:///` for a cluster whose file system is a disk that this machine sees. Default:
   * what the configuration of the resource manager says.
   */
  readonly files?: string | readonly string[];
  /** Who the gateway is to the cluster; launches and reads applications. Default: `hadoop`. */
  readonly user?: string;
  /**
   * Folder of the engine in the cluster's file system, which holds `apps`. Default: what the property
   * `platform.dfsRootDirectory` says at the start of the host, else `/user/{user}/datatorrent`.
   */
  readonly rootDirectory?: string;
  /**
   * Where applications find this gateway, `gateway.example.org:9090`: an address that every node reaches. Default:
   * applications are not told, and their events and recorded tuples do not come live.
   */
  readonly gatewayAddress?: string;
  /** How the engine's command line is started, which launches. Default: applications can't be launched. */
  readonly cli?: CliOptions;
  /**
   * How it is found out what packages hold. `jars`: their classes are read and never run. `cli`: the engine's command
   * line loads and runs them, with the rights of its process, as soon as somebody looks at a package: it knows the
   * plans of applications that are code, and default values. Default: `jars`.
   */
  readonly discovery?: 'jars' | 'cli';
  /**
   * How Hadoop's script `yarn` is started (`yarn logs`), which reads the logs that node managers hand in when an
   * application ends (`yarn.log-aggregation-enable`). Default: logs are there as long as node managers keep them.
   */
  readonly aggregatedLogs?: CliOptions;
  /** For addresses with `https`. */
  readonly tls?: TlsOptions;
  /**
   * On a secured cluster: the headers that prove who the gateway is, asked for with each request. `user` is not sent
   * then, and the command line runs as whoever its own arguments log in (`-kp`, `-kt`). Default: a cluster without
   * security, which believes `user`.
   */
  readonly authorize?: Authorize;
  readonly limits?: Partial<YarnLimits>;
}

/** Every bound of the driver. */
export interface YarnLimits {
  /** One answer of the cluster that is held as a whole, bytes. Default: 16 MiB. */
  readonly answerBytes: number;
  /** A part of the cluster that says nothing for so long is given up, milliseconds. Default: 4 s. */
  readonly timeoutMillis: number;
  /** Masters whose address is remembered. Default: 2,000. */
  readonly masters: number;
  /** A master that failed is asked again after 1 s, twice as long each time up to this, milliseconds. Default: 15 s. */
  readonly backOffMillis: number;
  /** Applications that are remembered, in case that the cluster forgets them. Default: 10,000. */
  readonly sightings: number;
  /** A running application that the cluster forgot is told as it was last seen for so long, milliseconds. Default: 1 day. */
  readonly forgottenMillis: number;
  /** A log that can't be read in parts is copied to the disk first, bytes. Default: 256 MiB. */
  readonly copiedLogBytes: number;
  /** Launches at once: each is a JVM that runs an application's code; and as many readings of logs. Default: 2. */
  readonly commands: number;
  /** Launches that wait for their turn; more are refused. Default: 20. */
  readonly waitingCommands: number;
  /** A launch that takes longer is ended, milliseconds. Default: 110 s, less than the gateway waits for it. */
  readonly commandMillis: number;
}

export interface YarnSettings {
  readonly managers: readonly string[];
  readonly files: readonly string[];
  readonly user: string;
  readonly rootDirectory: string;
  readonly gatewayAddress: string;
  readonly cli: CliOptions | undefined;
  readonly discovery: 'jars' | 'cli';
  readonly aggregatedLogs: CliOptions | undefined;
  readonly tls: TlsOptions | undefined;
  readonly authorize: Authorize | undefined;
  readonly limits: YarnLimits;
}

const defaultLimits: YarnLimits = {
  answerBytes: 16 * 1024 * 1024,
  timeoutMillis: 4000,
  masters: 2000,
  backOffMillis: 15_000,
  sightings: 10_000,
  forgottenMillis: 24 * 3_600_000,
  copiedLogBytes: 256 * 1024 * 1024,
  commands: 2,
  waitingCommands: 20,
  commandMillis: 110_000,
};

const urlsOf = (names: readonly string[], example: string): OptionCheck =>
  option.oneOrMore({
    problem: (given, { caller, path }) =>
      typeof given === 'string' && names.some((name) => given.startsWith(`${name}:`)) && URL.canParse(given)
        ? undefined
        : `${caller}: ${path} must be a URL such as ${example}, not ${JSON.stringify(given)}`,
  });

const command = option.group<CliOptions>({
  command: option.needed(option.program, 'path of the script that is started'),
  arguments: option.listOf(option.text),
  environment: option.valuesOf(option.text),
});

const rootDirectory = option.matching(/^\//, "an absolute path in the cluster's file system");

const yarnClusterOptions: OptionChecks<YarnClusterOptions> = {
  resourceManager: option.needed(
    urlsOf(['http', 'https'], 'http://rm.example.org:8088'),
    'its base URL, such as http://rm.example.org:8088',
  ),
  files: urlsOf(['http', 'https', 'file'], 'http://nn.example.org:50070, or file:///'),
  user: option.matching(/^[\w.@-]{1,128}$/, 'the name of a user'),
  rootDirectory,
  gatewayAddress: option.matching(/^[^\s:/]+:\d{1,5}$/, 'host:port'),
  cli: command,
  discovery: option.oneOf('jars', 'cli'),
  aggregatedLogs: command,
  tls: option.group<TlsOptions>({
    ca: option.oneOrMore(option.text),
    cert: option.text,
    key: option.text,
  }),
  authorize: option.callback,
  limits: option.limits(defaultLimits),
};

const withoutSlash = (path: string): string => path.replace(/\/+$/, '');

const listed = (given: string | readonly string[] = []): readonly string[] =>
  (typeof given === 'string' ? [given] : given).map(withoutSlash);

/** Throws `TypeError` naming the option that does not fit. */
export function settingsFrom(given: YarnClusterOptions): YarnSettings {
  const options = readOptions('yarnCluster', given, yarnClusterOptions);
  const { user = 'hadoop', discovery = 'jars', cli } = options;
  const [managers, files] = [listed(options.resourceManager), listed(options.files)];
  if (managers.length === 0) throw new TypeError('yarnCluster: resourceManager is empty: write its base URL');
  if (discovery === 'cli' && !cli) throw new TypeError('yarnCluster: discovery: "cli" needs the option cli');
  const local = files.find((url) => url.startsWith('file:'));
  return {
    managers,
    files: local === undefined ? files : [`${local.replace(/^file:\/*/, 'file:///')}`],
    user,
    rootDirectory: withoutSlash(options.rootDirectory ?? `/user/${user}/datatorrent`),
    gatewayAddress: options.gatewayAddress ?? '',
    cli,
    aggregatedLogs: options.aggregatedLogs,
    discovery,
    tls: options.tls,
    authorize: options.authorize,
    limits: { ...defaultLimits, ...options.limits },
  };
}

/** With the folder that the site files name. Throws as `settingsFrom` does. */
export function rootedAt(settings: YarnSettings, folder: string): YarnSettings {
  requireArgument('yarnCluster', 'rootDirectory', folder, rootDirectory);
  return { ...settings, rootDirectory: withoutSlash(folder) };
}
