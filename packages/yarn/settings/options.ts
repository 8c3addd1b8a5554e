import * as z from 'zod';
import type { CliOptions } from '../commands/cli.js';
import type { Authorize } from '../wire/authorized.js';
import type { TlsOptions } from '../wire/http.js';

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

const schemes = (names: readonly string[], example: string) =>
  z
    .union([z.string().transform((url) => [url]), z.array(z.string()).min(1)])
    .transform((urls) => urls.map((url) => url.replace(/\/+$/, '')))
    .refine(
      (urls) => urls.every((url) => names.some((name) => url.startsWith(`${name}:`)) && URL.canParse(url)),
      `expected a URL such as ${example}`,
    );

const Command = z.object({
  command: z.string().min(1),
  arguments: z.array(z.string()).exactOptional(),
  environment: z.record(z.string(), z.string()).exactOptional(),
});

const Options = z.object({
  resourceManager: schemes(['http', 'https'], 'http://rm.example.org:8088'),
  files: schemes(['http', 'https', 'file'], 'http://nn.example.org:50070, or file:///').default([]),
  user: z
    .string()
    .regex(/^[\w.@-]{1,128}$/)
    .default('hadoop'),
  rootDirectory: z.string().startsWith('/').optional(),
  gatewayAddress: z
    .string()
    .regex(/^[^\s:/]+:\d{1,5}$/, 'expected host:port')
    .default(''),
  cli: Command.optional(),
  discovery: z.enum(['jars', 'cli']).default('jars'),
  aggregatedLogs: Command.optional(),
  tls: z
    .object({
      ca: z.union([z.string(), z.array(z.string())]).exactOptional(),
      cert: z.string().exactOptional(),
      key: z.string().exactOptional(),
    })
    .optional(),
  authorize: z.custom<Authorize>((value) => typeof value === 'function', 'expected a function').optional(),
  limits: z.partialRecord(z.string(), z.number().positive()).default({}),
});

/** Throws `TypeError` naming the option that does not fit. */
export function settingsFrom(options: YarnClusterOptions): YarnSettings {
  const checked = Options.safeParse(options);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw new TypeError(`yarnCluster: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  const {
    resourceManager: managers,
    files,
    user,
    rootDirectory,
    gatewayAddress,
    cli,
    aggregatedLogs,
  } = checked.data;
  if (checked.data.discovery === 'cli' && !cli)
    throw new TypeError('yarnCluster: discovery: "cli" needs the option cli');
  const local = files.find((url) => url.startsWith('file:'));
  return {
    managers,
    files: local === undefined ? files : [`${local.replace(/^file:\/*/, 'file:///')}`],
    user,
    rootDirectory: (rootDirectory ?? `/user/${user}/datatorrent`).replace(/\/+$/, ''),
    gatewayAddress,
    cli,
    aggregatedLogs,
    discovery: checked.data.discovery,
    tls: checked.data.tls,
    authorize: checked.data.authorize,
    limits: { ...defaultLimits, ...options.limits },
  };
}
