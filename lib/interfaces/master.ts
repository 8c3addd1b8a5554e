import type {
  AppStats,
  DataSource,
  Event,
  Issue,
  LoggerMatch,
  LoggerSetting,
} from '../model/applications.js';
import type { Container, ContainerStats, ContainerStatsMeta, ThreadDump } from '../model/containers.js';
import type {
  ChangeRequest,
  LogicalOperator,
  LogicalPlan,
  OperatorClassDesc,
  OperatorStats,
  OperatorStatsMeta,
} from '../model/logical-plan.js';
import type { DeployHistory, PhysicalPlan } from '../model/physical-plan.js';
import type { CallOptions } from './call-options.js';
import type { CheckpointReader, SavepointCatalogue } from './checkpoints.js';
import type { Drainer } from './drainer.js';
import type { Forwarder } from './forwarder.js';
import type { LogReader } from './logs.js';
import type { BackPressureReader, FlameGraphReader, Profiler } from './profiling.js';
import type { Recorder } from './recorder.js';

/**
 * One application. The required part is what every engine can tell; facets are optional members.
 *
 * An answer is not changed once it was given: to topics the same object again says that nothing has changed since.
 *
 * Of an ended application a driver answers what it kept (plans as they last were, containers, events, history), rejects with
 * `Conflict` (`APPLICATION_ENDED`) what it did not keep, and changes in any case.
 *
 * Window ids are whole numbers of 64 bits as text, `'0'` or less for none, and grow while an application runs.
 */
export interface Master {
  info(options?: CallOptions): Promise<MasterInfo>;
  /** Ids of operators are digits. Each `container` is one of `containers`, each end of a stream one of the operators. */
  physicalPlan(options?: CallOptions): Promise<PhysicalPlan>;
  /** With the operators of the definition, by their names. */
  logicalPlan(options?: CallOptions): Promise<LogicalPlan>;
  /** One for each operator of the logical plan. */
  logicalOperators(options?: CallOptions): Promise<readonly LogicalOperator[]>;
  /** The master's own container included, the only one of type `APP_MASTER`. All are `KILLED` once the application has ended. */
  containers(options?: CallOptions): Promise<readonly Container[]>;
  /**
   * Inputs end, the rest drains and checkpoints. Resolves when the order was taken; it ends as `FINISHED` and `SUCCEEDED`. `user`: who
   * ordered it, for what is kept of it.
   */
  shutdown(options?: CallOptions & { readonly user?: string }): Promise<void>;
  /**
   * What it failed of, when neither its report nor its events tell; asked for only then. `undefined`: nothing is known.
   */
  failure?(options?: CallOptions): Promise<Failure | undefined>;
  /** What the engine itself finds wrong with an application that has not ended, beside what the gateway finds. */
  issues?(options?: CallOptions): Promise<readonly Issue[]>;
  readonly drainer?: Drainer;
  readonly containerControl?: ContainerControl;
  readonly stackTraces?: StackTraceReader;
  readonly deployHistory?: DeployHistoryReader;
  readonly properties?: PropertyEditor;
  readonly physicalProperties?: PhysicalPropertyWriter;
  readonly planEditor?: PlanEditor;
  readonly attributes?: AttributeReader;
  readonly recorder?: Recorder;
  readonly loggers?: LoggerControl;
  readonly events?: EventReader;
  readonly operatorClasses?: OperatorClassReader;
  readonly logs?: LogReader;
  readonly stats?: StatsReader;
  readonly savepoints?: SavepointCatalogue;
  readonly checkpoints?: CheckpointReader;
  readonly flameGraphs?: FlameGraphReader;
  readonly backPressure?: BackPressureReader;
  readonly profiler?: Profiler;
  readonly forwarder?: Forwarder;
}

export type MasterFacet =
  | 'drainer'
  | 'containerControl'
  | 'stackTraces'
  | 'deployHistory'
  | 'properties'
  | 'physicalProperties'
  | 'planEditor'
  | 'attributes'
  | 'recorder'
  | 'loggers'
  | 'events'
  | 'operatorClasses'
  | 'logs'
  | 'stats'
  | 'savepoints'
  | 'checkpoints'
  | 'flameGraphs'
  | 'backPressure'
  | 'profiler'
  | 'forwarder';

export interface MasterInfo {
  readonly appPath: string;
  /** Relative to where the gateway is mounted; empty without a master. */
  readonly appMasterTrackingUrl: string;
  readonly version: string;
  readonly gatewayAddress: string;
  /** Absent: applications of this engine never connect to a gateway. */
  readonly gatewayConnected?: boolean;
  readonly connectedToThisGateway: boolean;
  readonly dataSources: readonly DataSource[];
  /** Operator name to metric to value. */
  readonly metrics: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Attribute name to value; secrets are masked by the driver. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /**
   * Of what runs the tuples so far, and window ids once there are any. After the end its totals, with 0 for what is no more
   * (`allocatedContainers`, `totalMemoryAllocated`); `null` when nothing is known of them.
   */
  readonly stats: AppStats | null;
}

export interface ContainerControl {
  /**
   * Another container takes its place, and its operators run on there. Rejects with `NotFound` for an unknown container,
   * `Conflict` for one that is gone.
   */
  kill(containerId: string, options?: CallOptions): Promise<void>;
}

export interface StackTraceReader {
  /**
   * Rejects with `NotFound` for an unknown container, `Conflict` for one that does not run, `TimedOut` when its thread does not
   * come to where it can be looked at. Ids of threads are unique.
   */
  read(containerId: string, options?: CallOptions): Promise<ThreadDump>;
}

export interface DeployHistoryReader {
  /**
   * In the order of time, the container where it is now at the end; a container that ended stays. Rejects with `NotFound` for an
   * unknown operator.
   */
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
 * or `InvalidInput` naming the place, and then nothing has changed. Where the driver has the facet `events`, each write is one:
 * `SetOperatorProperty`, of a single partition `SetPhysicalOperatorProperty`, with `propertyName` in its data.
 */
export interface PropertyEditor {
  /**
   * What it was given. `live`: what it has now, asked from where it runs, of `propertyName` alone where that is said;
   * rejects with `Unreachable` while it is not deployed, with `TimedOut` when it does not answer, and with `Conflict`
   * where the question itself may harm it. A driver whose operators can be asked without harm may always do so.
   */
  readOperator(operatorId: string, options?: PropertyReading): Promise<Readonly<Record<string, unknown>>>;
  /** `class` included. */
  readLogical(operatorName: string, options?: CallOptions): Promise<Readonly<Record<string, unknown>>>;
  /** Of all partitions, whatever they had of their own, and of those that are deployed later. */
  writeLogical(
    operatorName: string,
    values: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<void>;
}

/** Where partitions have values of their own: under the rules of `PropertyEditor`. */
export interface PhysicalPropertyWriter {
  /** Of this one partition; `null` stands for what its logical operator has. */
  write(operatorId: string, values: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<void>;
}

export interface PlanEditor {
  /**
   * All or nothing, in the order given; rejects with `BadRequest` or `InvalidInput` naming the request and the reason (the stream
   * that there is not). When it resolves the logical plan is the new one; what is added is deployed soon after and gets tuples,
   * what is removed goes with its ends of streams, and all others run on under their ids.
   */
  change(requests: readonly ChangeRequest[], options?: CallOptions): Promise<void>;
}

/**
 * Attribute name to value: what is in force, defaults included, so that an application has some. Unknown operators and ports
 * reject with `NotFound`. Those of the application itself are told after its end too.
 */
export interface AttributeReader {
  application(options?: CallOptions): Promise<Readonly<Record<string, unknown>>>;
  operator(operatorName: string, options?: CallOptions): Promise<Readonly<Record<string, unknown>>>;
  port(
    operatorName: string,
    portName: string,
    options?: CallOptions,
  ): Promise<Readonly<Record<string, unknown>>>;
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
   * without one the newest `limit` before the newest `offset`. The same of an ended application. Events of these types have, as
   * texts in `data`: `CreateOperator` and `RemoveOperator` the `operatorName` and `operatorId`, `StartOperator` and `StopOperator`
   * the `containerId` besides; `StartContainer`, of which each application has one at least, `containerId` and
   * `containerNodeId`; `StopContainer` `containerId` and `exitStatus`; `OperatorError` `operatorName`, `operatorId`,
   * `containerId` and `errorMessage`; `ContainerError` `containerId` and `errorMessage`. Other types may hold anything.
   */
  read(
    query: { from?: number; to?: number; offset: number; limit: number },
    options?: CallOptions,
  ): Promise<readonly Event[]>;
}

export interface OperatorClassReader {
  /** Class names, those of the application's operators among them; `parent` that is no operator class rejects with `NotFound`. */
  list(query: { parent?: string; q?: string }, options?: CallOptions): Promise<readonly string[]>;
  /** Rejects with `NotFound` for an unknown class. */
  describe(className: string, options?: CallOptions): Promise<OperatorClassDesc>;
}

/**
 * What was measured over time, oldest first; a range in which nothing was is empty. Rejects with `NotFound` when nothing is kept,
 * and for unknown operators. Items are of operators and containers that the meta names.
 */
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
