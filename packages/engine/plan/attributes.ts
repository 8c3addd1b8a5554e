import * as z from 'zod';

// The attributes that this engine obeys, or can do without. An application that sets another is refused: it would be a
// silent no.

const count = (max: number) => z.coerce.number().int().min(1).max(max);
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]);

export const applicationAttributes = {
  APPLICATION_NAME: z.string().min(1).max(128),
  STREAMING_WINDOW_SIZE_MILLIS: count(60_000).default(500),
  CHECKPOINT_WINDOW_COUNT: count(100_000).default(60),
  HEARTBEAT_INTERVAL_MILLIS: count(60_000).default(1000),
  HEARTBEAT_TIMEOUT_MILLIS: count(3_600_000).default(30_000),
  /** Container failures within the period that the application outlives. */
  MAX_CONTAINER_FAILURES: z.coerce.number().int().min(0).max(10_000).default(5),
  CONTAINER_FAILURE_PERIOD_MILLIS: count(86_400_000).default(600_000),
  /** How long `setup` of all operators of a container may take. */
  DEPLOY_TIMEOUT_MILLIS: count(3_600_000).default(60_000),
  THROUGHPUT_CALCULATION_INTERVAL: count(600_000).default(10_000),
  SPIN_MILLIS: count(1000).default(10),
  /** Statistics over time of operators and containers are kept on disk. */
  ENABLE_STATS_RECORDING: flag.default(true),
};

export const operatorAttributes = {
  /** Number of partitions, or the engine's text that ends with `:N`. */
  PARTITIONER: z
    .union([
      z.number(),
      z.string().regex(/(^|:)\d{1,4}$/, 'expected a count, or text that ends with ":" and a count'),
    ])
    .transform((value) => Number(String(value).split(':').at(-1)))
    .pipe(z.int().min(1).max(256)),
  /** Heap of its container, when larger than the engine's default. */
  MEMORY_MB: count(65_536),
};

export const portAttributes = {
  PARTITION_PARALLEL: flag,
  /** Tuples that may wait at an input port for others of the same window. */
  QUEUE_CAPACITY: count(1_000_000).default(16_384),
  /** Taken from definitions that are made for clusters: the streams of this engine work the same with and without them. */
  IS_OUTPUT_UNIFIED: flag,
  SPIN_MILLIS: count(60_000),
  STREAM_CODEC: z.union([z.string(), z.looseObject({})]),
  UNIFIER_LIMIT: count(2_147_483_647),
  /** Its tuples are recorded from each deployment on, as by a request. */
  AUTO_RECORD: flag,
};

export type Attributes = Readonly<Record<string, unknown>>;

const Settings = z.object(applicationAttributes).omit({ APPLICATION_NAME: true });
export type ApplicationSettings = z.output<typeof Settings>;
/** The application's attributes with defaults for those that are absent. */
export const settingsOf = (attributes: Attributes): ApplicationSettings => Settings.parse(attributes);
