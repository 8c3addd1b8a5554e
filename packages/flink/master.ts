import {
  type ApplicationReport,
  Conflict,
  type Master,
  NotFound,
  onceOf,
  type PropertyEditor,
  type SavepointCatalogue,
} from 'headgate/driver-kit';
import type { FlinkApplications } from './jobs/applications.js';
import { hasEnded } from './jobs/states.js';
import { attributeReader } from './observe/attributes.js';
import { checkpointReader } from './observe/checkpoints.js';
import { deployHistoryReader } from './observe/deployments.js';
import type { EventBook } from './observe/event-book.js';
import type { History } from './observe/history.js';
import type { Inspector } from './observe/inspector.js';
import { createLogReader } from './observe/logs.js';
import type { Sampling } from './observe/measuring.js';
import type { Observer } from './observe/observer.js';
import type { Subtasks } from './observe/subtasks.js';
import type { Ending } from './operate/ending.js';
import { createProfiler } from './operate/profiler.js';
import type { JobManagerClient } from './rest/client.js';
import { type Forwarding, jobForwarder } from './rest/forwarder.js';
import type { Resources } from './rest/resources.js';

interface MasterDeps {
  readonly client: JobManagerClient;
  readonly resources: Resources;
  readonly subtasks: Subtasks;
  readonly applications: FlinkApplications;
  readonly observer: Observer;
  readonly inspector: Inspector;
  readonly events: EventBook;
  readonly ending: Ending;
  readonly forwarding: Forwarding;
  readonly sampling: Sampling;
  readonly savepoints: (jobId: string) => SavepointCatalogue;
  readonly properties: (jobId: string) => PropertyEditor;
  /** Absent: nothing is kept. */
  readonly history: Pick<History, 'statistics'> | undefined;
}

/** Of one report the same view, which many ask for in one beat. */
export const createMasters = (deps: MasterDeps): ((report: ApplicationReport) => Master) =>
  onceOf((report: ApplicationReport) => masterOf(report, deps));

/** What the JobManager has no more of a job that is known from before can't be told. */
function tellerOf(resources: Pick<Resources, 'job'>, jobId: string) {
  const knows = () =>
    resources.job.get(jobId).then(
      () => true,
      (error) => !(error instanceof NotFound),
    );
  return async <T>(question: Promise<T>): Promise<T> => {
    try {
      return await question;
    } catch (error) {
      if (!(error instanceof NotFound) || (await knows())) throw error;
      throw new Conflict('APPLICATION_ENDED', `The JobManager does not keep ${jobId} any more`);
    }
  };
}

/** The view of one job, as long as the JobManager knows it. */
function masterOf(report: ApplicationReport, deps: MasterDeps): Master {
  const { client, resources, observer, inspector, ending, history } = deps;
  const { id: jobId } = report;
  const properties = deps.properties(jobId);
  const stats = history?.statistics.of(jobId, hasEnded(report));

  const told = tellerOf(resources, jobId);

  async function containers(): Promise<ReadonlyMap<string, boolean>> {
    const all = await told(observer.containers(jobId));
    const { report } = await deps.applications.get(jobId);
    // Task managers live longer than a job.
    const live = hasEnded(report) ? await observer.liveTaskManagers() : undefined;
    return new Map(all.map(({ id, state }) => [id, live?.has(id) ?? state === 'ACTIVE']));
  }

  async function requireRunning(): Promise<void> {
    const { report } = await deps.applications.get(jobId);
    if (hasEnded(report)) throw new Conflict('APPLICATION_ENDED', `${jobId} has ended (${report.state})`);
  }

  const events = deps.events.of(jobId);
  const deployHistory = deployHistoryReader(resources, deps.subtasks, jobId);
  const checkpoints = checkpointReader(resources, jobId);
  return {
    info: () => told(observer.info(jobId)),
    physicalPlan: () => told(observer.physicalPlan(jobId)),
    logicalPlan: () => told(observer.logicalPlan(jobId)),
    logicalOperators: () => told(observer.logicalOperators(jobId)),
    containers: () => told(observer.containers(jobId)),
    shutdown: (options) => ending.shutdown(jobId, options),
    drainer: { drain: (options) => ending.shutdown(jobId, { ...options, drain: true }) },
    failure: () => told(inspector.failure(jobId)),
    issues: () => told(inspector.issues(jobId)),
    attributes: attributeReader(observer, jobId),
    stackTraces: { read: (containerId) => inspector.threads(jobId, containerId) },
    deployHistory: { read: (operatorId) => told(deployHistory.read(operatorId)) },
    events: { read: (query) => told(events.read(query)) },
    properties: {
      readOperator: (operatorId, options) => told(properties.readOperator(operatorId, options)),
      readLogical: (operatorName) => told(properties.readLogical(operatorName)),
      async writeLogical(operatorName, values) {
        await properties.writeLogical(operatorName, values);
        // Who listens hears of it.
        await deps.events.look(jobId).catch(() => {});
      },
    },
    savepoints: deps.savepoints(jobId),
    checkpoints: { read: () => told(checkpoints.read()) },
    flameGraphs: {
      async read(operatorName, request) {
        await requireRunning();
        return told(deps.sampling.flameGraph(jobId, operatorName, request));
      },
    },
    backPressure: {
      async read(operatorName, options) {
        await requireRunning();
        return told(deps.sampling.backPressure(jobId, operatorName, options));
      },
    },
    profiler: createProfiler({ client, resources, containers, requireRunning }),
    forwarder: jobForwarder(deps.forwarding, jobId, {
      requireRunning,
      failed: () => deps.applications.changed(jobId),
    }),
    logs: createLogReader({ client, resources, containers }),
    ...(stats ? { stats } : {}),
  };
}
