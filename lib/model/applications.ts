import * as z from 'zod';
import { Address } from './address.js';
import { Flag, NumberInput } from './inputs.js';
import { inUnit, quantity } from './quantity.js';

export const ApplicationState = z.enum([
  'NEW',
  'NEW_SAVING',
  'SUBMITTED',
  'ACCEPTED',
  'RUNNING',
  'FINISHED',
  'FAILED',
  'KILLED',
]);
export type ApplicationState = z.output<typeof ApplicationState>;

/** `UNDEFINED` as long as the application has not ended. */
export const FinalStatus = z.enum(['UNDEFINED', 'SUCCEEDED', 'FAILED', 'KILLED']);
export type FinalStatus = z.output<typeof FinalStatus>;

/** Times are epoch milliseconds, 0 for what has not happened yet. */
export const AppSummary = z
  .object({
    id: z.string(),
    name: z.string(),
    queue: z.string(),
    state: ApplicationState,
    finalStatus: FinalStatus,
    startedTime: quantity('epoch ms').describe('epoch milliseconds'),
    finishedTime: quantity('epoch ms').describe('epoch milliseconds; 0 while it has not ended'),
    elapsedTime: quantity('ms').describe('milliseconds'),
    diagnostics: z.string(),
    trackingUrl: Address,
    user: z.string(),
  })
  .meta({ id: 'AppSummary' });
export type AppSummary = z.output<typeof AppSummary>;

/** What the list and the topic `applications` tell besides: `docs/decisions.md`, Lists tell more. */
export const ListedApplication = AppSummary.extend({
  applicationType: z.string(),
  currentAttemptId: z.string(),
  runningContainers: quantity('containers').describe('-1 once it ended, and while it is not known'),
  allocatedMB: quantity('MB').describe('the same'),
  allocatedVCores: quantity('cores').describe('the same'),
  isSystemApp: z.boolean().describe('belongs to the platform itself'),
  clusterState: z
    .string()
    .optional()
    .describe('its state in the words of the cluster, where those are others'),
  observedAt: quantity('epoch ms').describe('epoch milliseconds of the probe that gave this'),
}).meta({ id: 'ListedApplication' });
export type ListedApplication = z.output<typeof ListedApplication>;

/** Published as `applications`: those that have not ended, and that the receiver may see. */
export const ActiveApplications = z
  .object({ apps: z.array(ListedApplication) })
  .meta({ id: 'ActiveApplications' });
export type ActiveApplications = z.output<typeof ActiveApplications>;

export const ApplicationList = z
  .object({
    apps: z.array(
      ListedApplication.extend({
        canWrite: z.boolean().describe('whether the caller may change the application'),
      }),
    ),
  })
  .meta({ id: 'ApplicationList' });
export type ApplicationList = z.output<typeof ApplicationList>;

export const AppStats = z
  .object({
    latency: quantity('ms').optional().describe('milliseconds along the critical path'),
    plannedContainers: quantity('containers').optional(),
    failedContainers: quantity('containers').optional(),
    allocatedContainers: quantity('containers'),
    numOperators: quantity('operators'),
    windowStartMillis: quantity('epoch ms').optional(),
    lag: quantity('ms').optional().describe('milliseconds that the slowest operator is behind the clock'),
    checkpointAge: quantity('ms')
      .optional()
      .describe(
        'milliseconds since what it would go on from; since its start while its checkpoints fail; absent: there is none, or nobody tells',
      ),
    criticalPath: z.array(z.string()).describe('operator ids'),
    currentWindowId: z
      .string()
      .optional()
      .describe('minimum over operators; absent: the engine has no windows'),
    recoveryWindowId: z
      .string()
      .optional()
      .describe('minimum over operators; absent: the engine has no windows'),
    tuplesProcessedPSMA: quantity('tuples/s').optional(),
    totalTuplesProcessed: quantity('tuples').optional(),
    tuplesEmittedPSMA: quantity('tuples/s').optional(),
    totalTuplesEmitted: quantity('tuples').optional(),
    totalMemoryAllocated: quantity('MB').describe('MB'),
    memoryRequired: quantity('MB').optional().describe('MB'),
    totalVCoresAllocated: quantity('cores'),
    vcoresRequired: quantity('cores').optional(),
    totalBufferServerReadBytesPSMA: quantity('bytes/s').optional(),
    totalBufferServerWriteBytesPSMA: quantity('bytes/s').optional(),
  })
  .meta({ id: 'AppStats' });
export type AppStats = z.output<typeof AppStats>;

/**
 * Published as `applications.{appid}`: statistics at the top level, so that conditions read
 * `_topic['applications.x'].allocatedContainers`. They are absent after the end, and while no master tells.
 */
export const ApplicationSnapshot = AppStats.partial()
  .extend({
    id: z.string(),
    name: z.string(),
    state: ApplicationState,
    finalStatus: FinalStatus,
    elapsedTime: quantity('ms').describe('milliseconds'),
    clusterState: z.string().optional(),
    gatewayConnected: z.boolean(),
    observedAt: quantity('epoch ms').describe('epoch milliseconds'),
  })
  .meta({ id: 'ApplicationSnapshot' });
export type ApplicationSnapshot = z.output<typeof ApplicationSnapshot>;

export const DataSource = z
  .object({
    name: z.string().describe('operator.port'),
    type: z.string(),
    operatorName: z.string().optional(),
    portName: z.string().optional(),
    schemaKeys: z
      .record(z.string(), z.unknown())
      .nullable()
      .optional()
      .describe('tells its schema from others on the same topics'),
    query: z.object({ operatorName: z.string(), url: z.string(), topic: z.string() }).optional(),
    result: z
      .object({
        operatorName: z.string(),
        url: z.string(),
        topic: z.string(),
        appendQIDToTopic: z.boolean(),
      })
      .optional(),
  })
  .meta({ id: 'DataSource' });
export type DataSource = z.output<typeof DataSource>;

export const AppPackageSource = z.object({
  user: z.string(),
  name: z.string(),
  version: z.string(),
  appName: z.string(),
  configPackage: z.object({ user: z.string(), name: z.string(), version: z.string() }).optional(),
});
export type AppPackageSource = z.output<typeof AppPackageSource>;

/** Attribute or metric values as the engine gives them; secrets are masked by the driver. */
const Values = z.record(z.string(), z.unknown());

/** Empty values stand for what nobody can tell: the master is gone, does not answer, or never told. */
export const AppDetail = ListedApplication.extend({
  remainingLicensedMB: quantity('MB').optional().describe('absent: the license sets no limit'),
  canWrite: z.boolean().describe('whether the caller may change the application'),
  appPath: z.string(),
  gatewayAddress: z
    .string()
    .describe('`host:port` at which the application, or the caller, reaches this gateway'),
  gatewayConnected: z.boolean(),
  connectedToThisGateway: z.boolean(),
  launchDisabled: z.boolean().optional().describe('the license is locked'),
  appMasterTrackingUrl: Address,
  version: z.string().describe('version of the engine'),
  appDataSources: z.array(DataSource),
  metrics: z.record(z.string(), Values).optional().describe('operator name to metric to value'),
  attributes: Values,
  stats: AppStats.nullable().describe(
    'null when no master tells; after the end its totals, and 0 for what is no more',
  ),
  appPackageSource: AppPackageSource.optional(),
  services: z.array(z.looseObject({ name: z.string() })).optional(),
}).meta({ id: 'AppDetail' });
export type AppDetail = z.output<typeof AppDetail>;

/** One custom metric of all operators that have it. */
export const Metric = z.object({
  name: z.string(),
  type: z
    .string()
    .describe('`number`, `string`, `boolean`, `array` or `object`; `mixed` when operators differ'),
  values: z.record(z.string(), z.unknown()).describe('operator name to value'),
});
export type Metric = z.output<typeof Metric>;
export const AppMetrics = z
  .object({ applicationId: z.string(), metrics: z.array(Metric) })
  .meta({ id: 'AppMetrics' });
export type AppMetrics = z.output<typeof AppMetrics>;

export const RootCause = z
  .object({
    title: z.string(),
    type: z.literal('markdown'),
    content: z.string(),
  })
  .meta({ id: 'RootCause' });
export type RootCause = z.output<typeof RootCause>;

export const Issue = z
  .object({
    key: z.string(),
    propertyName: z.string().optional(),
    description: z.string(),
    severity: z.enum(['error', 'warning']),
  })
  .meta({ id: 'Issue' });
export type Issue = z.output<typeof Issue>;

/** What `data` holds depends on the type: `docs/decisions.md`, Events by type. */
export const Event = z
  .object({
    id: z.string(),
    timestamp: quantity('epoch ms').describe('epoch milliseconds'),
    type: z.string(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' });
export type Event = z.output<typeof Event>;

const Moment = NumberInput.meta(inUnit('epoch ms'));

/** Without `from` and `to`: the newest `limit`, in chronological order. */
export const EventQuery = z
  .object({
    from: Moment.exactOptional().describe('epoch milliseconds, inclusive'),
    to: Moment.exactOptional().describe('epoch milliseconds, inclusive'),
    offset: NumberInput.pipe(z.int().min(0)).default(0).meta(inUnit('events')),
    limit: NumberInput.pipe(z.int().min(1).max(1000)).default(100).meta(inUnit('events')),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ['from'],
    message: 'is after `to`',
  });
export const EventList = z.object({ events: z.array(Event) });
export type EventQuery = z.output<typeof EventQuery>;

/** `target` is a class, or a package followed by `.*`. */
export const LoggerSetting = z.object({
  target: z
    .string()
    .max(512, { abort: true })
    .regex(/^\w+(?:\.\w+)*(?:\.\*)?$/, 'expected the name of a class, or of a package followed by `.*`'),
  logLevel: z.enum(['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL', 'OFF', 'ALL']),
});
export type LoggerSetting = z.output<typeof LoggerSetting>;
export const LoggerSettings = z
  .object({ loggers: z.array(LoggerSetting).max(1000) })
  .meta({ id: 'LoggerSettings' });

export const LoggerMatch = z.object({
  name: z.string(),
  level: z.string().describe('empty when nothing is set'),
});
export type LoggerMatch = z.output<typeof LoggerMatch>;
export const LoggerMatches = z.object({ loggers: z.array(LoggerMatch) });
export const LoggerSearch = z.object({
  pattern: z.string().describe('regular expression that the whole name matches'),
});

export const IssueList = z.object({ issues: z.array(Issue) });

export const ApplicationFilter = z.object({
  states: z.string().optional().describe('comma-separated; unknown values match nothing'),
  name: z.string().optional(),
  user: z.string().optional(),
});
export type ApplicationFilter = z.output<typeof ApplicationFilter>;

export const OperatorClassFilter = z.object({
  parent: z.string().exactOptional().describe('only classes that inherit from it'),
  q: z.string().exactOptional().describe('part of the name, in any case'),
  packagePrefixes: z.string().exactOptional().describe('comma-separated'),
});
export type OperatorClassFilter = z.output<typeof OperatorClassFilter>;

export const OperatorClassList = z.object({ operatorClasses: z.array(z.object({ name: z.string() })) });

export const AppId = z.object({ appid: z.string() });

export const ShutdownQuery = z.object({
  drain: Flag.default(false).describe(
    'windows and timers that are open are carried out first: it ends for good, where the cluster can do that',
  ),
});
export const OperatorClassName = AppId.extend({ operatorClass: z.string() });
