import * as z from 'zod';
import type { AttributeCatalogue, AttributeCatalogues } from './knowledge.js';
import type { Problems } from './problems.js';

/** The attributes as the catalogue reads them; each that it does not know or take is a problem. */
export function readAttributes(
  values: Readonly<Record<string, unknown>> | undefined,
  catalogue: AttributeCatalogue,
  place: string,
  problems: Problems,
): Readonly<Record<string, unknown>> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values ?? {})) {
    const schema = Object.hasOwn(catalogue, name) ? catalogue[name] : undefined;
    if (!schema) {
      const told = () => `there is no such attribute here; there are ${Object.keys(catalogue).join(', ')}`;
      problems.add(`${place}.${name}`, told);
      continue;
    }
    const parsed = schema.safeParse(value);
    if (parsed.success) result[name] = parsed.data;
    else problems.add(`${place}.${name}`, parsed.error.issues[0]?.message ?? 'is not valid');
  }
  return result;
}

// Definitions may hold `${name}` and `{% script %}`, which the engine resolves at launch.
const resolvedLater = z.string().regex(/\$\{|\{%/);
const whole = z.union([z.int(), z.string().regex(/^\s*-?\d+\s*$/), resolvedLater], {
  error: 'expected a whole number',
});
const flag = z.union([z.boolean(), z.enum(['true', 'false']), resolvedLater], {
  error: 'expected true or false',
});
const text = z.string({ error: 'expected text' });
/** Text that the engine makes an object of, or `{"class": {...}}`. */
const object = z.union([z.string(), z.looseObject({})], { error: 'expected text or an object' });

/** Those of the engine on the cluster (its `Context`), in its order. */
export const engineAttributes: AttributeCatalogues = {
  application: {
    APPLICATION_NAME: text,
    APPLICATION_DOC_LINK: text,
    APPLICATION_DATA_LINK: text,
    METRICS_TRANSPORT: object,
    APPLICATION_ID: text,
    APP_PACKAGE_SOURCE: text,
    DEBUG: flag,
    CONTAINER_JVM_OPTIONS: text,
    LOGGER_APPENDER: text,
    MASTER_MEMORY_MB: whole,
    BUFFER_SPOOLING: flag,
    STREAMING_WINDOW_SIZE_MILLIS: whole,
    CHECKPOINT_WINDOW_COUNT: whole,
    APPLICATION_PATH: text,
    TUPLE_RECORDING_PART_FILE_SIZE: whole,
    TUPLE_RECORDING_PART_FILE_TIME_MILLIS: whole,
    GATEWAY_CONNECT_ADDRESS: text,
    GATEWAY_USE_SSL: flag,
    GATEWAY_USER_NAME: text,
    GATEWAY_PASSWORD: text,
    PUBSUB_CONNECT_TIMEOUT_MILLIS: whole,
    HEARTBEAT_LISTENER_THREAD_COUNT: whole,
    HEARTBEAT_INTERVAL_MILLIS: whole,
    HEARTBEAT_TIMEOUT_MILLIS: whole,
    RESOURCE_ALLOCATION_TIMEOUT_MILLIS: whole,
    STATS_MAX_ALLOWABLE_WINDOWS_LAG: whole,
    ENABLE_STATS_RECORDING: flag,
    THROUGHPUT_CALCULATION_INTERVAL: whole,
    THROUGHPUT_CALCULATION_MAX_SAMPLES: whole,
    RPC_LATENCY_COMPENSATION_SAMPLES: whole,
    CONTAINER_OPTS_CONFIGURATOR: object,
    STRAM_HTTP_AUTHENTICATION: text,
    STRING_CODECS: object,
    MAX_CONSECUTIVE_CONTAINER_FAILURES_FOR_BLACKLIST: whole,
    BLACKLISTED_NODE_REMOVAL_TIME_MILLIS: whole,
    AFFINITY_RULES_SET: object,
    LIBRARY_JARS: text,
    ARCHIVES: text,
    FILES: text,
    SSL_CONFIG: object,
  },
  operator: {
    ACTIVATION_WINDOW_ID: whole,
    SPIN_MILLIS: whole,
    RECOVERY_ATTEMPTS: whole,
    STATS_LISTENERS: z.union([z.string(), z.array(z.unknown()), z.looseObject({})]),
    STATELESS: flag,
    MEMORY_MB: whole,
    VCORES: whole,
    JVM_OPTIONS: text,
    APPLICATION_WINDOW_COUNT: whole,
    SLIDE_BY_WINDOW_COUNT: whole,
    CHECKPOINT_WINDOW_COUNT: whole,
    LOCALITY_HOST: text,
    LOCALITY_RACK: text,
    STORAGE_AGENT: object,
    PROCESSING_MODE: z.enum(['AT_LEAST_ONCE', 'AT_MOST_ONCE', 'EXACTLY_ONCE']).or(resolvedLater),
    TIMEOUT_WINDOW_COUNT: whole,
    AUTO_RECORD: flag,
    PARTITIONER: object,
    COUNTERS_AGGREGATOR: object,
    METRICS_AGGREGATOR: object,
    METRICS_DIMENSIONS_SCHEME: object,
    RECOVERY_MODE: text,
  },
  port: {
    QUEUE_CAPACITY: whole,
    BUFFER_MEMORY_MB: whole,
    SPIN_MILLIS: whole,
    PARTITION_PARALLEL: flag,
    UNIFIER_LIMIT: whole,
    UNIFIER_SINGLE_FINAL: flag,
    AUTO_RECORD: flag,
    IS_OUTPUT_UNIFIED: flag,
    STREAM_CODEC: object,
    TUPLE_CLASS: text,
  },
};
