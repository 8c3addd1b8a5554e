import type {
  AppStats,
  DataSource,
  Event,
  LoggerMatch,
  LoggerSetting,
} from '../features/applications/schema.js';
import type { Container, ThreadDump } from '../features/containers/schema.js';
import type { LogicalOperator, LogicalPlan, OperatorClassDesc } from '../features/logical-plan/schema.js';
import type { DeployHistory, PhysicalPlan } from '../features/physical-plan/schema.js';
import type { Recording } from '../features/recordings/schema.js';
import type { CallOptions, Forwarder } from './cluster.js';

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
  | 'forwarder';

export interface MasterInfo {
  readonly appPath: string;
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
  /** `null` when the application has no living master. */
  readonly stats: AppStats | null;
}

export interface ContainerControl {
  /** Rejects with `NotFound` for an unknown container, `Conflict` for one that is gone. */
  kill(containerId: string, options?: CallOptions): Promise<void>;
  /** Absent when the cluster can't look into its containers. */
  stackTrace?(containerId: string, options?: CallOptions): Promise<ThreadDump>;
}

export interface DeployHistoryReader {
  read(operatorId: string, options?: CallOptions): Promise<DeployHistory>;
}

/** Property name to value. Unknown operators and properties reject with `NotFound`, values that do not fit with `BadRequest`. */
export interface PropertyEditor {
  readOperator(operatorId: string, options?: CallOptions): Promise<Readonly<Record<string, unknown>>>;
  writeOperator(operatorId: string, values: Readonly<Record<string, unknown>>): Promise<void>;
  readLogical(operatorName: string, options?: CallOptions): Promise<Readonly<Record<string, unknown>>>;
  writeLogical(operatorName: string, values: Readonly<Record<string, unknown>>): Promise<void>;
}

export interface PlanEditor {
  /** All or nothing; rejects with `BadRequest` naming the request and the reason. */
  change(requests: readonly PlanChange[]): Promise<void>;
}

/** Spec 4.3. */
export interface PlanChange {
  readonly requestType: string;
  readonly [field: string]: string;
}

export interface AttributeReader {
  application(options?: CallOptions): Promise<Readonly<Record<string, unknown>>>;
  operator(operatorName: string, options?: CallOptions): Promise<Readonly<Record<string, unknown>>>;
  port(
    operatorName: string,
    portName: string,
    options?: CallOptions,
  ): Promise<Readonly<Record<string, unknown>>>;
}

export interface Recorder {
  /** `portName` absent: all ports. Resolves the id; rejects with `Conflict` carrying the active id. */
  start(operatorId: string, options: { portName?: string; numWindows?: number }): Promise<string>;
  stop(operatorId: string, options: { portName?: string }): Promise<void>;
  /** Of one operator, or of the whole application. */
  list(operatorId?: string, options?: CallOptions): Promise<readonly Recording[]>;
}

/** Level changes reach every container at once and those that start later. */
export interface LoggerControl {
  list(options?: CallOptions): Promise<readonly LoggerSetting[]>;
  set(settings: readonly LoggerSetting[]): Promise<void>;
  /** Loggers that exist now, with the level in force, `''` when none is set. */
  levels(options?: CallOptions): Promise<readonly LoggerMatch[]>;
}

export interface EventReader {
  /** In chronological order; the newest `limit` when neither `from` nor `to` is given. */
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

/** Log files of the application's containers. */
export interface LogReader {
  list(containerId: string, options?: CallOptions): Promise<readonly { name: string; length: number }[]>;
}
