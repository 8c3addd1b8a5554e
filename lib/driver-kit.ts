// The second entry point, names only: what drivers are written with. It loads no gateway, so that a process that only keeps
// things, or only watches a cluster, stays small. Shapes, errors and interfaces mean the same here and in `headgate`.

export { buildInfo } from './build.js';
export { withProperties } from './definitions/apply-properties.js';
export { readAttributes } from './definitions/attributes.js';
export { checkDefinition } from './definitions/check.js';
export { cycleOf } from './definitions/cycle.js';
export type { DefinitionKnowledge } from './definitions/knowledge.js';
export { createProblems, type Problems } from './definitions/problems.js';
export { streamName } from './definitions/streams.js';
export { type Archive, type ArchiveEntry, openArchive } from './features/app-packages/archive/reader.js';
export { storedPart } from './features/app-packages/archive/stored-part.js';
export { writeArchive } from './features/app-packages/archive/writer.js';
export { manifestName, maxManifestBytes, parseManifest } from './features/app-packages/manifest.js';
export { commandWords } from './formats/command-words.js';
export { defaultJsonLimits, type JsonLimits, parseJson } from './formats/json.js';
export { loadPattern } from './formats/load-pattern.js';
export { decodePathSegment } from './formats/percent.js';
export { isSecretName } from './formats/secret-names.js';
export { isXmlText } from './formats/xml-text.js';
export { everybodysIdentity } from './http/authentication.js';
export { byteRange } from './http/byte-range.js';
export { masterFacets } from './http/capabilities.js';
export { issueSentences } from './http/validate.js';
export type {
  AuthContext,
  Authenticator,
  CallerRequest,
  Identity,
  NegotiatedIdentity,
  OpenedSession,
  SchemeInUse,
  SessionEntry,
  Sessions,
} from './interfaces/auth.js';
export type {
  AskedUser,
  HostRules,
  OperationQuestion,
  TopicAction,
  TopicQuestion,
} from './interfaces/authorize.js';
export type { CallOptions } from './interfaces/call-options.js';
export type { CheckpointReader, SavepointCatalogue, SavepointRequest } from './interfaces/checkpoints.js';
export type { Clock } from './interfaces/clock.js';
export type {
  ApplicationReport,
  ClusterAbout,
  ClusterContext,
  ClusterDriver,
  ClusterExecutable,
  ClusterFileCheck,
  LaunchCredentials,
  PermissionStore,
  ResourceManager,
  ResourceManagerFacet,
} from './interfaces/cluster.js';
export type {
  ContainerReport,
  ContainerRuntime,
  ContainerSpec,
  RuntimeContext,
  RuntimeHost,
  RuntimeInfo,
  SpecProblem,
} from './interfaces/container-runtime.js';
export type { Drainer } from './interfaces/drainer.js';
export type { Forwarder, ForwardMethod, ForwardTarget } from './interfaces/forwarder.js';
export type { JarReader, JarSource } from './interfaces/jar-reader.js';
export type {
  DefinedLaunch,
  DefinitionProblem,
  Launcher,
  LaunchRequest,
  PackagedPlan,
  RestartRequest,
} from './interfaces/launcher.js';
export type { Lifecycle } from './interfaces/lifecycle.js';
export type { Logger } from './interfaces/logger.js';
export type {
  Credentials,
  LoginScheme,
  LoginSchemeContext,
  LoginSchemeFactory,
  LoginSchemes,
  Negotiated,
  SchemeCall,
  SchemeSessions,
  SchemeUser,
} from './interfaces/login-scheme.js';
export type { GcCollection, LogReader, OpenLog } from './interfaces/logs.js';
export type { Mail, Mailer, MailServer, RefusedRecipient } from './interfaces/mailer.js';
export type {
  AttributeReader,
  ContainerControl,
  DeployHistoryReader,
  EventReader,
  Failure,
  LoggerControl,
  Master,
  MasterFacet,
  MasterInfo,
  OperatorClassReader,
  PhysicalPropertyWriter,
  PlanEditor,
  PropertyEditor,
  PropertyReading,
  StackTraceReader,
  StatsRange,
  StatsReader,
} from './interfaces/master.js';
export type {
  PackageContent,
  PackagedApplication,
  PackageFile,
  PackageOperatorClass,
  PackageOperatorReader,
  PackageOperators,
  PackageProblem,
} from './interfaces/package.js';
export type { Planner } from './interfaces/planner.js';
export type { BackPressureReader, FlameGraphReader, OpenProfile, Profiler } from './interfaces/profiling.js';
export type { Recorder, TupleQuery } from './interfaces/recorder.js';
export type { RecyclingReadable } from './interfaces/recycling-readable.js';
export type { SampleRequest, Sampler } from './interfaces/sampler.js';
export type { Secrets } from './interfaces/secrets.js';
export type {
  Blob,
  BlobInfo,
  BlobStore,
  BlobWriteOptions,
  DocumentStore,
  DocumentWrite,
  Storage,
  StorageProblem,
  StoredDocument,
} from './interfaces/storage.js';
export { Permissions } from './model/acl.js';
export {
  ApplicationState,
  AppPackageSource,
  AppStats,
  Event,
  FinalStatus,
  type Issue,
  type LoggerMatch,
  type LoggerSetting,
} from './model/applications.js';
export type { AuthConfiguration } from './model/auth-configuration.js';
export type { CheckpointHistory, Savepoint } from './model/checkpoints.js';
export { type BuildInfo, ClusterMetrics, Queue } from './model/cluster.js';
export {
  Container,
  ContainerStats,
  ContainerStatsMeta,
  type GcEvent,
  LogInfo,
  ThreadDump,
} from './model/containers.js';
export {
  AnswerTooLarge,
  BadRequest,
  ClientHungUp,
  Conflict,
  ContainerFailed,
  DamagedDocument,
  Forbidden,
  GatewayError,
  type InputIssue,
  InvalidInput,
  MailNotSent,
  MissingPackage,
  NotFound,
  NotReady,
  PreconditionFailed,
  StorageFailed,
  StorageInUse,
  TimedOut,
  TooLarge,
  TooManyRequests,
  Unreachable,
  UnusableAnswer,
  undefinedIfUnknown,
} from './model/errors.js';
export type { ClassApplication, JarContents, JarOperatorClass, ValueType } from './model/jar-contents.js';
export {
  ApplicationDefinition,
  ChangeRequest,
  JsonApplication,
  LogicalOperator,
  LogicalPlan,
  OperatorClassDesc,
  OperatorStats,
  OperatorStatsMeta,
  type PropertyDescription,
  type TypeDescription,
} from './model/logical-plan.js';
export { DeployHistory, PhysicalPlan, type PhysOperator } from './model/physical-plan.js';
export type {
  BackPressure,
  ContainerProfile,
  FlameGraph,
  FlameGraphQuery,
  StackFrame,
} from './model/profiling.js';
export type { BadRequestReason, ConflictReason, ErrorCode } from './model/reasons.js';
export { Recording, TupleBatch } from './model/recordings.js';
export type { Sample } from './model/samples.js';
export { SqlApplication } from './model/sql-application.js';
export { logsUrl, masterUrl, trackingUrl } from './model/tracking-urls.js';
export { type BackOff, pauseAfter } from './runtime/back-off.js';
export { nextTurn, type TimeSlice, timeSlice } from './runtime/event-loop.js';
export { answerText, callFailure, Silence } from './runtime/http-call.js';
export {
  createHttpClient,
  type HttpAnswer,
  type HttpCall,
  type HttpClient,
  type HttpStream,
  type TlsOptions,
} from './runtime/http-client.js';
export { keyedMutex } from './runtime/keyed-mutex.js';
export { setNewest } from './runtime/lru.js';
export { createMutex, type Mutex } from './runtime/mutex.js';
export { requireNamed } from './runtime/named.js';
export { onceOf } from './runtime/once-of.js';
export {
  type OptionCheck,
  type OptionChecks,
  type OptionPlace,
  option,
  readLimits,
  readOptions,
  requireArgument,
} from './runtime/option-checks.js';
export { owned, ownedProcess } from './runtime/owned.js';
export { isProcessAlive } from './runtime/process-alive.js';
export { type QueueingSemaphore, queueingSemaphore, type SemaphoreSize } from './runtime/semaphore.js';
export { createAborts } from './runtime/shared-aborts.js';
export { createSliceScheduler } from './runtime/slice-scheduler.js';
export { openSource, type Source } from './runtime/source.js';
export { isMissing, readIfThere, syncFolder, writeWhole } from './runtime/whole-files.js';
export { withTimeout } from './runtime/with-timeout.js';
export { type BlobIntake, blobIntake } from './storage/blob-intake.js';
export { type Collection, collection, type Kept } from './storage/collection.js';
export { type CheckedWrite, checkedBatch, requireMatch } from './storage/document-batch.js';
export {
  blobName,
  checkKey,
  checkPrefix,
  compareKeys,
  documentName,
  maxKeyBytes,
} from './storage/storage-keys.js';
export { version } from './version.js';
