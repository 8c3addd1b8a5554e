import { Readable } from 'node:stream';
import * as z from 'zod';
import type { CheckpointReader, SavepointCatalogue } from '../interfaces/checkpoints.js';
import type { Drainer } from '../interfaces/drainer.js';
import type { LogReader, OpenLog as OpenLogShape } from '../interfaces/logs.js';
import type {
  AttributeReader,
  ContainerControl,
  DeployHistoryReader,
  EventReader,
  Failure,
  LoggerControl,
  Master,
  MasterInfo as MasterInfoShape,
  OperatorClassReader,
  PhysicalPropertyWriter,
  PlanEditor,
  PropertyEditor,
  StackTraceReader,
  StatsReader,
} from '../interfaces/master.js';
import type {
  BackPressureReader,
  FlameGraphReader,
  OpenProfile as OpenProfileShape,
  Profiler,
} from '../interfaces/profiling.js';
import type { Recorder } from '../interfaces/recorder.js';
import { AppStats, DataSource, Event, Issue, LoggerMatch, LoggerSetting } from '../model/applications.js';
import { CheckpointHistory, Savepoint, SavepointList } from '../model/checkpoints.js';
import {
  Container,
  ContainerStats,
  ContainerStatsMeta,
  GcEvent,
  LogInfo,
  ThreadDump,
} from '../model/containers.js';
import {
  LogicalOperator,
  LogicalPlan,
  OperatorClassDesc,
  OperatorStats,
  OperatorStatsMeta,
} from '../model/logical-plan.js';
import { DeployHistory, PhysicalPlan } from '../model/physical-plan.js';
import { BackPressure, ContainerProfile, FlameGraph } from '../model/profiling.js';
import { Recording, TupleBatch } from '../model/recordings.js';
import { type AnswersOf, count, done, fun, later, type MembersOf, sooner, values } from './shapes.js';

const text = z.string();

export const FailureAnswer = z.object({
  code: text,
  message: text,
  at: z.number().optional(),
  operatorName: text.optional(),
  operatorId: text.optional(),
  containerId: text.optional(),
  stackTrace: text.optional(),
  log: z.array(text).optional(),
} satisfies MembersOf<Failure>);

/** What a driver that can't do more has. */
export const MasterAnswer = z.object({
  info: fun,
  physicalPlan: fun,
  logicalPlan: fun,
  logicalOperators: fun,
  containers: fun,
  shutdown: fun,
});

const MasterInfo = z.object({
  appPath: text,
  appMasterTrackingUrl: text,
  version: text,
  gatewayAddress: text,
  gatewayConnected: z.boolean().exactOptional(),
  connectedToThisGateway: z.boolean(),
  dataSources: z.array(DataSource),
  metrics: z.record(text, values),
  attributes: values,
  stats: AppStats.nullable(),
} satisfies MembersOf<MasterInfoShape>);

const OpenLog = z.object({ length: count, read: fun, close: fun } satisfies MembersOf<OpenLogShape>);
const OpenProfile = z.object({
  name: text,
  length: count.exactOptional(),
  content: z.instanceof(Readable),
} satisfies MembersOf<OpenProfileShape>);
const Collection = GcEvent.omit({ byteOffset: true, line: true, container: true });

/** By the prefix of their calls. */
export const masterAnswers = {
  'master.': {
    info: later(MasterInfo),
    physicalPlan: later(PhysicalPlan),
    logicalPlan: later(LogicalPlan),
    logicalOperators: later(z.array(LogicalOperator)),
    containers: later(z.array(Container)),
    shutdown: done,
    failure: later(FailureAnswer.optional()),
    issues: later(z.array(Issue)),
  } satisfies AnswersOf<Master>,
  'master.drainer.': { drain: done } satisfies AnswersOf<Drainer>,
  'master.containerControl.': {
    kill: done,
  } satisfies AnswersOf<ContainerControl>,
  'master.stackTraces.': { read: later(ThreadDump) } satisfies AnswersOf<StackTraceReader>,
  'master.deployHistory.': { read: later(DeployHistory) } satisfies AnswersOf<DeployHistoryReader>,
  'master.properties.': {
    readOperator: later(values),
    readLogical: later(values),
    writeLogical: done,
  } satisfies AnswersOf<PropertyEditor>,
  'master.physicalProperties.': { write: done } satisfies AnswersOf<PhysicalPropertyWriter>,
  'master.planEditor.': { change: done } satisfies AnswersOf<PlanEditor>,
  'master.attributes.': {
    application: later(values),
    operator: later(values),
    port: later(values),
  } satisfies AnswersOf<AttributeReader>,
  'master.recorder.': {
    start: later(text.min(1)),
    stop: done,
    list: later(z.array(Recording)),
    read: later(Recording),
    remove: done,
    tuples: later(TupleBatch),
  } satisfies AnswersOf<Recorder>,
  'master.loggers.': {
    list: later(z.array(LoggerSetting)),
    set: done,
    levels: later(z.array(LoggerMatch)),
  } satisfies AnswersOf<LoggerControl>,
  'master.events.': { read: later(z.array(Event)) } satisfies AnswersOf<EventReader>,
  'master.operatorClasses.': {
    list: later(z.array(text)),
    describe: later(OperatorClassDesc),
  } satisfies AnswersOf<OperatorClassReader>,
  'master.logs.': {
    list: later(z.array(LogInfo)),
    open: later(OpenLog),
    collectionOf: sooner(Collection.optional()),
  } satisfies AnswersOf<LogReader>,
  'master.stats.': {
    containersMeta: later(ContainerStatsMeta),
    containers: later(z.array(ContainerStats)),
    operatorMeta: later(OperatorStatsMeta),
    operator: later(z.array(OperatorStats)),
  } satisfies AnswersOf<StatsReader>,
  'master.savepoints.': {
    list: later(SavepointList),
    start: later(Savepoint),
    remove: done,
  } satisfies AnswersOf<SavepointCatalogue>,
  'master.checkpoints.': { read: later(CheckpointHistory) } satisfies AnswersOf<CheckpointReader>,
  'master.flameGraphs.': { read: later(FlameGraph) } satisfies AnswersOf<FlameGraphReader>,
  'master.backPressure.': { read: later(BackPressure) } satisfies AnswersOf<BackPressureReader>,
  'master.profiler.': {
    list: later(z.array(ContainerProfile)),
    start: later(ContainerProfile),
    open: later(OpenProfile),
  } satisfies AnswersOf<Profiler>,
};
