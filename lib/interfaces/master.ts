import type { Readable } from 'node:stream';
import type { AppStats, DataSource, Event, LoggerMatch, LoggerSetting } from '../model/applications.js';
import type {
  Container,
  ContainerStats,
  ContainerStatsMeta,
  GcEvent,
  LogInfo,
  ThreadDump,
} from '../model/containers.js';
import type {
  ChangeRequest,
  LogicalOperator,
  LogicalPlan,
  OperatorClassDesc,
  OperatorStats,
  OperatorStatsMeta,
} from '../model/logical-plan.js';
import type { DeployHistory, PhysicalPlan } from '../model/physical-plan.js';
import type { Recording, TupleBatch } from '../model/recordings.js';
import type { CallOptions } from './call-options.js';
import type { Forwarder } from './forwarder.js';

/**
 * One application. The required part is what every engine can tell; facets are optional members.
 *
 * Of an ended application a driver answers what it kept (plans as they last were, containers, events, history)
 * and rejects changes with `Conflict`.
 */
export interface Master {
  info(options?: CallOptions): Promise<MasterInfo>;
  physicalPlan(options?: CallOptions): Promise<PhysicalPlan>;
  logicalPlan(options?: CallOptions): Promise<LogicalPlan>;
  logicalOperators(options?: CallOptions): Promise<readonly LogicalOperator[]>;
  /** The master's own container included. */
  containers(options?: CallOptions): Promise<readonly Container[]>;
  /** Inputs end, the rest drains and checkpoints. Resolves when the order was taken. */
  shutdown(options?: CallOptions): Promise<void>;
  /**
   * What it failed of, when neither its report nor its events tell; asked for only then. `undefined`: nothing is known.
   */
  failure?(options?: CallOptions): Promise<Failure | undefined>;
  readonly containerControl?: ContainerControl;
  readonly deployHistory?: DeployHistoryReader;
  readonly properties?: PropertyEditor;
  readonly planEditor?: PlanEditor;
  readonly attributes?: AttributeReader;
  readonly recorder?: Recorder;
  readonly loggers?: LoggerControl;
  readonly events?: EventReader;
  readonly operatorClasses?: OperatorClassReader;
  readonly logs?: LogReader;
  readonly stats?: StatsReader;
  readonly forwarder?: Forwarder;
}

export type MasterFacet =
  | 'containerControl'
  | 'deployHistory'
  | 'properties'
  | 'planEditor'
  | 'attributes'
  | 'recorder'
  | 'loggers'
  | 'events'
  | 'operatorClasses'
  | 'logs'
  | 'stats'
  | 'forwarder';

export interface MasterInfo {
  readonly appPath: string;
  /** Relative to where the gateway is mounted; empty without a master. */
  readonly appMasterTrackingUrl: string;
  readonly version: string;
  readonly gatewayAddress: string;
  readonly gatewayConnected: boolean;
  readonly connectedToThisGateway: boolean;
  readonly dataSources: readonly DataSource[];
  /** Operator name to metric to value. */
  readonly metrics: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Attribute name to value; secrets are masked by the driver. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** After the end its totals, with 0 for what is no more; `null` when nothing is known of them. */
  readonly stats: AppStats | null;
}

export interface ContainerControl {
  /** Rejects with `NotFound` for an unknown container, `Conflict` for one that is gone. */
  kill(containerId: string, options?: CallOptions): Promise<void>;
  /**
   * Absent when the cluster can't look into its containers. Rejects with `NotFound` for an unknown container, `Conflict`
   * for one that does not run, `TimedOut` when its thread does not come to where it can be looked at.
   */
  stackTrace?(containerId: string, options?: CallOptions): Promise<ThreadDump>;
}

export interface DeployHistoryReader {
  /** In the order of time. Rejects with `NotFound` for an unknown operator. */
  read(operatorId: string, options?: CallOptions): Promise<DeployHistory>;
}

/** Which properties of a physical operator are read, and how. */
export interface PropertyReading extends CallOptions {
  readonly live?: boolean;
  readonly propertyName?: string;
}

/**
 * Property name to value, `null` for one that has none; of an ended application what it had last. A write takes values
 * as text too, and `null` for the default; it resolves when the change is kept, and operators see it between two
 * windows soon after. Unknown operators and properties reject with `NotFound`, values that do not fit with `BadRequest`
 * or `InvalidInput` naming the place, and then nothing has changed.
 */
export interface PropertyEditor {
  /**
   * What it was given. `live`: what it has now, asked from where it runs, of `propertyName` alone where that is said;
   * rejects with `Unreachable` while it is not deployed, with `TimedOut` when it does not answer, and with `Conflict`
   * where the question itself may harm it. A driver whose operators can be asked without harm may always do so.
   */
  readOperator(operatorId: string, options?: PropertyReading): Promise<Readonly<Record<string, unknown>>>;
  /** Of this one partition; `null` stands for what its logical operator has. */
  writeOperator(
    operatorId: string,
    values: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<void>;
  /** `class` included. */
  readLogical(operatorName: string, options?: CallOptions): Promise<Readonly<Record<string, unknown>>>;
  /** Of all partitions, whatever they had of their own, and of those that are deployed later. */
  writeLogical(
    operatorName: string,
    values: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<void>;
}

export interface PlanEditor {
  /** All or nothing, in the order given; rejects with `BadRequest` or `InvalidInput` naming the request and the reason. */
  change(requests: readonly ChangeRequest[], options?: CallOptions): Promise<void>;
}

/** Attribute name to value: what is in force, defaults included. Unknown operators and ports reject with `NotFound`. */
export interface AttributeReader {
  application(options?: CallOptions): Promise<Readonly<Record<string, unknown>>>;
  operator(operatorName: string, options?: CallOptions): Promise<Readonly<Record<string, unknown>>>;
  port(
    operatorName: string,
    portName: string,
    options?: CallOptions,
  ): Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Unknown operators, ports and recordings reject with `NotFound`. An operator's recording and those of its ports exclude
 * each other. Recordings of an ended application are read and removed as those of a running one.
 */
export interface Recorder {
  /**
   * `portName` absent: all ports; `numWindows` absent: until it is stopped. Resolves the id; rejects with `Conflict`
   * whose details carry the active `id` when the operator or that port is being recorded.
   */
  start(
    operatorId: string,
    what: { readonly portName?: string; readonly numWindows?: number },
    options?: CallOptions,
  ): Promise<string>;
  /** Without `portName` those of its ports too. Rejects with `NotFound` when nothing is being recorded. */
  stop(operatorId: string, what: { readonly portName?: string }, options?: CallOptions): Promise<void>;
  /** Of one operator, or of the whole application; in the order of their start. */
  list(operatorId?: string, options?: CallOptions): Promise<readonly Recording[]>;
  read(operatorId: string, recordingId: string, options?: CallOptions): Promise<Recording>;
  /** Rejects with `Conflict` while it is being recorded. */
  remove(operatorId: string, recordingId: string, options?: CallOptions): Promise<void>;
  /** Ports that the recording does not have reject with `BadRequest`. */
  tuples(
    operatorId: string,
    recordingId: string,
    query: TupleQuery,
    options?: CallOptions,
  ): Promise<TupleBatch>;
}

export interface TupleQuery {
  /** Where to begin: a number of tuples over the selected ports, or a window id. */
  readonly from: { readonly offset: number } | { readonly startWindow: string };
  /** Tuples at most. */
  readonly limit: number;
  /** Ids from the recording; absent: all. */
  readonly ports?: readonly string[];
  /** Windows without tuples are listed too. */
  readonly emptyWindows: boolean;
}

/** Level changes reach every container at once and those that start later. */
export interface LoggerControl {
  list(options?: CallOptions): Promise<readonly LoggerSetting[]>;
  set(settings: readonly LoggerSetting[]): Promise<void>;
  /** Loggers that exist now, with the level in force, `''` when none is set. */
  levels(options?: CallOptions): Promise<readonly LoggerMatch[]>;
}

export interface EventReader {
  /**
   * In chronological order; times are epoch milliseconds, inclusive. In a range the first `limit` after `offset`;
   * without one the newest `limit` before the newest `offset`.
   */
  read(
    query: { from?: number; to?: number; offset: number; limit: number },
    options?: CallOptions,
  ): Promise<readonly Event[]>;
}

export interface OperatorClassReader {
  /** Class names; `parent` that is no operator class rejects with `NotFound`. */
  list(query: { parent?: string; q?: string }, options?: CallOptions): Promise<readonly string[]>;
  describe(className: string, options?: CallOptions): Promise<OperatorClassDesc>;
}

/** Log files of the application's containers, ended ones included. Unknown containers and logs reject with `NotFound`. */
export interface LogReader {
  /** The container's own folder and nothing beyond it; empty for one that keeps no logs here. */
  list(containerId: string, options?: CallOptions): Promise<readonly LogInfo[]>;
  /** Whoever opens it closes it. */
  open(containerId: string, logName: string, options?: CallOptions): Promise<OpenLog>;
  /** What a line of a garbage collection log tells; `undefined` for any other line. Linear in the line's length. */
  collectionOf(line: string): GcCollection | undefined;
}

/** One log as it was when it was opened, also while it grows, is rotated or loses its container. */
export interface OpenLog {
  /** Bytes; what is written later is not seen. */
  readonly length: number;
  /** Bytes from `start` up to `end`, both within the length. Several may be read at once. */
  read(start: number, end: number): Readable;
  /** Idempotent; readings that are under way fail. */
  close(): Promise<void>;
}

export type GcCollection = Omit<GcEvent, 'byteOffset' | 'line' | 'container'>;

/** What was measured over time, oldest first. Rejects with `NotFound` when nothing is kept, and for unknown operators. */
export interface StatsReader {
  containersMeta(options?: CallOptions): Promise<ContainerStatsMeta>;
  containers(range: StatsRange, options?: CallOptions): Promise<readonly ContainerStats[]>;
  operatorMeta(operatorName: string, options?: CallOptions): Promise<OperatorStatsMeta>;
  operator(operatorName: string, range: StatsRange, options?: CallOptions): Promise<readonly OperatorStats[]>;
}

/** Epoch milliseconds, inclusive. Without any: the newest `limit`. */
export interface StatsRange {
  readonly startTime?: number;
  readonly endTime?: number;
  /** Items at most; a range that holds more rejects with `BadRequest` that asks for a shorter one. */
  readonly limit: number;
}

/** What brought an application down. */
export interface Failure {
  /** In capitals: `OPERATOR_ERROR`, `HEARTBEAT_TIMEOUT`, `OUT_OF_MEMORY`. */
  readonly code: string;
  /** One sentence. */
  readonly message: string;
  /** Epoch milliseconds. */
  readonly at?: number;
  readonly operatorName?: string;
  readonly operatorId?: string;
  readonly containerId?: string;
  readonly stackTrace?: string;
  /** Last lines of the container's log. */
  readonly log?: readonly string[];
}
