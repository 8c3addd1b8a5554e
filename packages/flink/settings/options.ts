import {
  type OptionCheck,
  type OptionChecks,
  option,
  readOptions,
  type TlsOptions,
} from 'headgate/driver-kit';

/** What a host says of its cluster. */
export interface FlinkClusterOptions {
  /** Base URL of the JobManager's REST API, `http://jm.example.org:8081`; all of them where there are several. */
  readonly jobManagers: string | readonly string[];
  /**
   * Base URL of a SQL gateway of this cluster, `http://sql.example.org:8083`: applications in SQL are launched by it, and their tables sampled. Its REST API is
   * asked in version 2, which there is since Flink 1.17. Default: there is none, and such launches are refused.
   */
  readonly sqlGateway?: string;
  /** Sent with each call, as a server in front of them wants them: `{ authorization: 'Basic ...' }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For addresses with `https`. */
  readonly tls?: TlsOptions;
  /**
   * What the JobManager says is good for so long, whoever asks: then it is asked again. Milliseconds. Default: 3 s, for which the
   * JobManager itself keeps its answers (`web.refresh-interval`).
   */
  readonly pollMillis?: number;
  /**
   * Whose the applications are that Flink runs: it has no users. Default: nobody's, so that administrators see them, those who may
   * see all applications, and those whom they are shared with.
   */
  readonly user?: string;
  /**
   * Folder of this machine for statistics over time and events, of jobs that somebody has looked at. Default: there are no statistics,
   * and of events those that Flink tells and those seen since the start.
   */
  readonly directory?: string;
  readonly limits?: Partial<FlinkLimits>;
}

/** Every bound of the driver. */
export interface FlinkLimits {
  /** One answer that is held as a whole, bytes. Default: 16 MiB. */
  readonly answerBytes: number;
  /** A JobManager that says nothing for so long is given up, and the next one is asked, milliseconds. Default: 4 s. */
  readonly timeoutMillis: number;
  /**
   * Until a program that is launched has made its plan, which it does within the JobManager, or all statements of an application in SQL
   * are carried out, milliseconds. Default: 90 s, less than the gateway waits (`timeouts.launchMillis`).
   */
  readonly runMillis: number;
  /** Calls under way at once; others wait for their turn. Default: 16. */
  readonly connections: number;
  /** Answers of one kind that are kept for a beat. Default: 10,000. */
  readonly answers: number;
  /** Jobs that are remembered, in case that the JobManager forgets them. Default: 10,000. */
  readonly jobs: number;
  /** Jobs whose statistics are recorded at once. Default: 100. */
  readonly statsJobs: number;
  /** How often they are, milliseconds. Default: 10 s. */
  readonly statsEveryMillis: number;
  /** Statistics of one job, all its operators and containers together, bytes. Default: 32 MiB. */
  readonly statsBytes: number;
  /** How long they and events are kept after the last of them, milliseconds. Default: 30 days. */
  readonly statsMillis: number;
  /** Events of one job that are kept; Flink itself keeps less. Default: 2,000. */
  readonly events: number;
  /** The same on the disk, bytes. Default: 4 MiB. */
  readonly eventBytes: number;
  /** Jobs whose events are kept: those that were looked at last. Default: 200. */
  readonly eventJobs: number;
  /** A running job that the JobManager forgot is told as it was last seen for so long, milliseconds. Default: 1 day. */
  readonly forgottenMillis: number;
  /**
   * Until the savepoint of a shutdown is told, milliseconds. It is made all the same, and kept when it is there. Default: 8 s, less
   * than the gateway waits (`timeouts.masterMillis`).
   */
  readonly stopMillis: number;
  /** A savepoint that is not done after so long is not waited for any more, milliseconds. Default: 1 h. */
  readonly savepointMillis: number;
  /**
   * Jars that are kept of launched jobs, so that these can be launched again, bytes; those go first that were launched longest ago.
   * Default: 8 GiB.
   */
  readonly jarsBytes: number;
  /** Savepoints of one job that are kept in mind; their files stay. Default: 200. */
  readonly savepoints: number;
  /** Until the deletion of a savepoint is told, milliseconds. It goes on all the same. Default: 8 s. */
  readonly disposalMillis: number;
  /** Samples of tables that are taken at once; more are refused. Default: 4. */
  readonly samples: number;
  /** Values of one sample as JSON, bytes. Default: 1 MiB. */
  readonly sampleBytes: number;
  /** Rows are waited for so long, milliseconds. Default: 15 s. */
  readonly sampleMillis: number;
  /**
   * Until a flame graph or figures of back-pressure are told, which Flink measures only from the first question on, milliseconds.
   * Default: 8 s, less than the gateway waits (`timeouts.masterMillis`).
   */
  readonly measureMillis: number;
  /** Frames of one flame graph that are told, those with the most samples. Default: 5,000. */
  readonly frames: number;
}

export interface FlinkSettings {
  /** Without a slash at the end. */
  readonly jobManagers: readonly string[];
  /** The same. */
  readonly sqlGateway: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsOptions | undefined;
  readonly pollMillis: number;
  readonly user: string;
  readonly directory: string | undefined;
  readonly limits: FlinkLimits;
}

const defaultLimits: FlinkLimits = {
  answerBytes: 16 * 1024 * 1024,
  timeoutMillis: 4000,
  runMillis: 90_000,
  connections: 16,
  answers: 10_000,
  jobs: 10_000,
  statsJobs: 100,
  statsEveryMillis: 10_000,
  statsBytes: 32 * 1024 * 1024,
  statsMillis: 30 * 24 * 3_600_000,
  events: 2000,
  eventBytes: 4 * 1024 * 1024,
  eventJobs: 200,
  forgottenMillis: 24 * 3_600_000,
  stopMillis: 8000,
  savepointMillis: 3_600_000,
  jarsBytes: 8 * 1024 ** 3,
  savepoints: 200,
  disposalMillis: 8000,
  samples: 4,
  sampleBytes: 1024 * 1024,
  sampleMillis: 15_000,
  measureMillis: 8000,
  frames: 5000,
};

const isAddress = (given: unknown): boolean =>
  typeof given === 'string' && /^https?:\/\/[^/?#]/.test(given) && URL.canParse(given);

const address = (example: string): OptionCheck => ({
  problem: (given, { caller, path }) =>
    isAddress(given)
      ? undefined
      : `${caller}: ${path} must be a URL such as ${example}, not ${JSON.stringify(given)}`,
});

const flinkClusterOptions: OptionChecks<FlinkClusterOptions> = {
  jobManagers: option.needed(
    option.oneOrMore(address('http://jm.example.org:8081')),
    'its base URL, such as http://jm.example.org:8081',
  ),
  sqlGateway: address('http://sql.example.org:8083'),
  headers: option.valuesOf(option.text),
  tls: option.group<TlsOptions>({ ca: option.oneOrMore(option.text), cert: option.text, key: option.text }),
  pollMillis: option.between(100, 3_600_000),
  user: option.matching(/^[\w.@-]{1,128}$/, 'the name of a user'),
  directory: option.path,
  limits: option.limits(defaultLimits),
};

/** Throws `TypeError` naming the option that does not fit. */
export function settingsFrom(given: FlinkClusterOptions): FlinkSettings {
  const options = readOptions('flinkCluster', given, flinkClusterOptions);
  const { jobManagers, sqlGateway, headers = {}, pollMillis = 3000, user = '' } = options;
  const urls = (typeof jobManagers === 'string' ? [jobManagers] : jobManagers).map(withoutSlash);
  if (urls.length === 0) throw new TypeError('flinkCluster: jobManagers is empty: write its base URL');
  return {
    jobManagers: [...new Set(urls)],
    sqlGateway: sqlGateway === undefined ? undefined : withoutSlash(sqlGateway),
    headers,
    tls: options.tls,
    pollMillis,
    user,
    directory: options.directory,
    limits: { ...defaultLimits, ...options.limits },
  };
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');
