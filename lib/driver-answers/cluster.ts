import * as z from 'zod';
import type {
  ApplicationReport,
  ClusterAbout,
  ClusterDriver,
  ClusterExecutable,
  ClusterFileCheck,
  PermissionStore,
  ResourceManager,
} from '../interfaces/cluster.js';
import type { Forwarder, ForwardTarget } from '../interfaces/forwarder.js';
import type { DefinitionProblem, Launcher } from '../interfaces/launcher.js';
import type { PackageOperatorClass, PackageOperatorReader, PackageProblem } from '../interfaces/package.js';
import type { Planner } from '../interfaces/planner.js';
import type { Sampler } from '../interfaces/sampler.js';
import { Permissions } from '../model/acl.js';
import { AppPackageSource, AppSummary } from '../model/applications.js';
import { type BuildInfo, ClusterMetrics, Queue } from '../model/cluster.js';
import { LogicalPlan, OperatorClassDesc } from '../model/logical-plan.js';
import { Sample } from '../model/samples.js';
import { FailureAnswer, MasterAnswer, masterAnswers } from './master.js';
import { type AnswersOf, answersBelow, count, done, fun, later, type MembersOf, sooner } from './shapes.js';

const number = z.number();
const text = z.string();

const Report = z.object({
  ...AppSummary.shape,
  applicationType: text,
  currentAttemptId: text,
  runningContainers: number,
  clusterState: text.exactOptional(),
  allocatedMB: number,
  allocatedVCores: number,
  appPackageSource: AppPackageSource.optional(),
  isSystemApp: z.boolean().optional(),
  observedAt: number,
  failure: FailureAnswer.optional(),
} satisfies MembersOf<ApplicationReport>);

const Build = z.object({
  version: text,
  buildDate: text,
  buildRevision: text,
  buildVersion: text,
  buildUser: text,
} satisfies MembersOf<BuildInfo>);

const About = z.object({
  engine: Build,
  cluster: Build,
  location: text,
  securityEnabled: z.boolean(),
  haEnabled: z.boolean(),
} satisfies MembersOf<ClusterAbout>);

const Problem = z.object({ path: text, message: text } satisfies MembersOf<DefinitionProblem>);
const PackagedPlan = z.union([
  z.object({ plan: LogicalPlan }),
  z.object({ error: text, stackTrace: text.optional() }),
]);

const OperatorClass = z.object({
  ...OperatorClassDesc.shape,
  name: text,
  title: text.optional(),
  shortDesc: text.optional(),
  longDesc: text.optional(),
  category: text.optional(),
  doclink: text.optional(),
  tags: z.array(text).optional(),
  defaultValue: z.record(text, z.unknown()).optional(),
} satisfies MembersOf<PackageOperatorClass>);
const UnreadFile = z.object({ file: text, message: text } satisfies MembersOf<PackageProblem>);

const Target = z.object({
  base: z
    .instanceof(URL)
    .refine(({ pathname }) => pathname.endsWith('/'), 'has a path without a slash at its end'),
  headers: fun,
  admit: fun.optional(),
  errorBody: fun.optional(),
  agent: z.custom((value) => typeof value === 'object' && value !== null, 'is no agent'),
  failed: fun,
} satisfies MembersOf<ForwardTarget>);

const forwarder: AnswersOf<Forwarder> = { target: later(Target) };

export const clusterAnswers = answersBelow({
  '': {
    open: done,
    master: later(MasterAnswer),
    childProcesses: sooner(count),
    close: done,
  } satisfies AnswersOf<ClusterDriver>,
  'files.': { check: done } satisfies AnswersOf<ClusterFileCheck>,
  'executable.': { path: sooner(text) } satisfies AnswersOf<ClusterExecutable>,
  'resourceManager.': {
    listApplications: later(z.array(Report)),
    getApplication: later(Report),
    kill: done,
    metrics: later(ClusterMetrics),
    about: later(About),
    nodeCount: later(count),
  } satisfies AnswersOf<ResourceManager>,
  'resourceManager.launcher.': {
    launch: later(text.min(1)),
    restart: later(text.min(1)),
    check: later(z.array(Problem)),
    checkSql: sooner(z.array(Problem)),
    plan: later(PackagedPlan),
  } satisfies AnswersOf<Launcher>,
  'resourceManager.queues.': {
    list: later(z.array(Queue)),
  } satisfies AnswersOf<NonNullable<ResourceManager['queues']>>,
  'resourceManager.configuration.': {
    read: later(z.record(text, text)),
  } satisfies AnswersOf<NonNullable<ResourceManager['configuration']>>,
  'resourceManager.permissions.': {
    read: later(Permissions.optional()),
    write: done,
  } satisfies AnswersOf<PermissionStore>,
  'resourceManager.packageOperators.': {
    describe: later(z.object({ classes: z.array(OperatorClass), problems: z.array(UnreadFile) })),
  } satisfies AnswersOf<PackageOperatorReader>,
  'resourceManager.forwarder.': forwarder,
  'resourceManager.sampler.': { sample: later(Sample) } satisfies AnswersOf<Sampler>,
  'resourceManager.planner.': { plan: later(LogicalPlan) } satisfies AnswersOf<Planner>,
  'master.forwarder.': forwarder,
  ...masterAnswers,
});
