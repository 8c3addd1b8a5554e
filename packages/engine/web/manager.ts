import { hostname } from 'node:os';
import {
  type ApplicationReport,
  BadRequest,
  type ClusterMetrics,
  NotFound,
  version,
} from 'headgate/driver-kit';
import { attemptId, containerId } from '../model/ids.js';
import { json } from './answers.js';
import { answerBy, type WebRoute } from './routes.js';

/** What the resource manager of the engine knows; the engine itself is it. */
export interface ManagerFacts {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly queueName: string;
  readonly cores: number;
  reports(): readonly ApplicationReport[];
  /** Throws `NotFound`. */
  report(appId: string): ApplicationReport;
  metrics(): Promise<ClusterMetrics>;
}

/** The reading part of Hadoop's `/ws/v1`. Launching is not by submitting Java programs here. */
const managerRoutes: readonly WebRoute<ManagerFacts>[] = [
  ['GET', 'cluster', clusterInfo],
  ['GET', 'cluster/info', clusterInfo],
  [
    'GET',
    'cluster/metrics',
    async (facts) => json({ clusterMetrics: metricsOf(facts, await facts.metrics()) }),
  ],
  [
    'GET',
    'cluster/scheduler',
    async (facts) => json({ scheduler: { schedulerInfo: schedulerOf(await facts.metrics(), facts) } }),
  ],
  [
    'GET',
    'cluster/apps',
    (facts, { query }) => json({ apps: listOf(facts.reports().filter(filterOf(query)), facts, query) }),
  ],
  ['GET', 'cluster/apps/:id', (facts, _, id) => json({ app: appOf(find(facts, id), facts) })],
  ['GET', 'cluster/apps/:id/state', (facts, _, id) => json({ state: find(facts, id).state })],
  [
    'GET',
    'cluster/apps/:id/appattempts',
    (facts, _, id) => json({ appAttempts: { appAttempt: [attemptOf(find(facts, id))] } }),
  ],
  ['GET', 'cluster/nodes', async (facts, { query }) => json({ nodes: await nodesOf(facts, query) })],
  [
    'GET',
    'cluster/nodes/:id',
    async (facts, _, id) => {
      const node = await nodeOf(facts);
      if (id !== node.id) throw new NotFound('node', id);
      return json({ node });
    },
  ],
  ['POST', 'cluster/apps/new-application', refuseSubmission],
  ['POST', 'cluster/apps', refuseSubmission],
];

export const managerAnswer = (facts: ManagerFacts, asked: Parameters<typeof answerBy>[2]) =>
  answerBy(managerRoutes, facts, asked);

function refuseSubmission(): never {
  throw new BadRequest(
    'APPLICATION_TYPE_NOT_SUPPORTED',
    'The local engine runs JSON applications and packages: launch them by POST /ws/v2/appPackages/...',
  );
}

function find(facts: ManagerFacts, id: string): ApplicationReport {
  if (!/^application_\d+_\d+$/.test(id))
    throw new BadRequest('MALFORMED_PATH', `${id} is no id of an application`);
  try {
    return facts.report(id);
  } catch (error) {
    throw error instanceof NotFound ? new NotFound('app with id', id) : error;
  }
}

function clusterInfo({ startedAt }: ManagerFacts) {
  const build = `${version} from headgate by headgate source checksum none`;
  return json({
    clusterInfo: {
      id: startedAt,
      startedOn: startedAt,
      state: 'STARTED',
      haState: 'ACTIVE',
      resourceManagerVersion: version,
      resourceManagerBuildVersion: build,
      resourceManagerVersionBuiltOn: '',
      hadoopVersion: version,
      hadoopBuildVersion: build,
      hadoopVersionBuiltOn: '',
    },
  });
}

const metricsOf = ({ cores, reports }: ManagerFacts, metrics: ClusterMetrics) => {
  const running = reports().filter(({ finalStatus }) => finalStatus === 'UNDEFINED');
  const allocatedMB = metrics.currentMemoryAllocatedMB;
  const containers = running.reduce((sum, { runningContainers }) => sum + runningContainers, 0);
  return {
    appsSubmitted: metrics.numAppsSubmitted,
    appsCompleted: metrics.numAppsFinished,
    appsPending: metrics.numAppsPending,
    appsRunning: metrics.numAppsRunning,
    appsFailed: metrics.numAppsFailed,
    appsKilled: metrics.numAppsKilled,
    reservedMB: 0,
    availableMB: Math.max(0, metrics.maxMemoryAllocatedMB - allocatedMB),
    allocatedMB,
    totalMB: metrics.maxMemoryAllocatedMB,
    reservedVirtualCores: 0,
    availableVirtualCores: Math.max(0, cores - containers),
    allocatedVirtualCores: containers,
    totalVirtualCores: cores,
    containersAllocated: containers,
    containersReserved: 0,
    containersPending: 0,
    totalNodes: 1,
    activeNodes: 1,
    lostNodes: 0,
    unhealthyNodes: 0,
    decommissionedNodes: 0,
    rebootedNodes: 0,
  };
};

/** One queue and no shares: what Hadoop calls a first-in-first-out scheduler. */
const schedulerOf = (metrics: ClusterMetrics, { queueName }: ManagerFacts) => ({
  type: 'fifoScheduler',
  queueName,
  capacity: 1,
  usedCapacity: metrics.currentMemoryAllocatedMB / metrics.maxMemoryAllocatedMB,
  qstate: 'RUNNING',
  minQueueMemoryCapacity: 0,
  maxQueueMemoryCapacity: metrics.maxMemoryAllocatedMB,
  numNodes: 1,
  usedNodeCapacity: metrics.currentMemoryAllocatedMB,
  availNodeCapacity: Math.max(0, metrics.maxMemoryAllocatedMB - metrics.currentMemoryAllocatedMB),
  totalNodeCapacity: metrics.maxMemoryAllocatedMB,
  numContainers: metrics.numContainers,
});

const states = ['NEW', 'NEW_SAVING', 'SUBMITTED', 'ACCEPTED', 'RUNNING', 'FINISHED', 'FAILED', 'KILLED'];

/** Throws `BadRequest` for values that there are not. */
function filterOf(query: URLSearchParams): (report: ApplicationReport) => boolean {
  const listed = (name: string) =>
    query
      .getAll(name)
      .flatMap((value) => value.split(','))
      .filter((value) => value !== '');
  const wanted = [...listed('states'), ...listed('state')].map((state) => state.toUpperCase());
  const unknown = wanted.find((state) => !states.includes(state));
  if (unknown !== undefined) throw new BadRequest('MALFORMED_QUERY', `Invalid application-state ${unknown}`);
  const types = listed('applicationTypes').map((type) => type.toLowerCase());
  const time = (name: string, otherwise: number) => {
    const text = query.get(name);
    if (text === null) return otherwise;
    if (!/^\d{1,16}$/.test(text))
      throw new BadRequest('MALFORMED_QUERY', `${name} is no time in milliseconds: ${text}`);
    return Number(text);
  };
  const started = [time('startedTimeBegin', 0), time('startedTimeEnd', Infinity)] as const;
  const finished = [time('finishedTimeBegin', 0), time('finishedTimeEnd', Infinity)] as const;
  const within = (value: number, [from, to]: readonly [number, number]) => value >= from && value <= to;
  const is = (name: string, value: string) => (query.get(name) ?? value) === value;
  return (report) =>
    (wanted.length === 0 || wanted.includes(report.state)) &&
    (types.length === 0 || types.includes(report.applicationType.toLowerCase())) &&
    is('finalStatus', report.finalStatus) &&
    is('user', report.user) &&
    is('queue', report.queue) &&
    within(report.startedTime, started) &&
    within(report.finishedTime, finished);
}

function listOf(found: readonly ApplicationReport[], facts: ManagerFacts, query: URLSearchParams) {
  const limit = query.get('limit');
  if (limit !== null && !/^[1-9]\d{0,8}$/.test(limit))
    throw new BadRequest('MALFORMED_QUERY', 'limit value must be greater then 0');
  const some = limit === null ? found : found.slice(0, Number(limit));
  return some.length === 0 ? null : { app: some.map((report) => appOf(report, facts)) };
}

const appOf = (report: ApplicationReport, { startedAt }: ManagerFacts) => ({
  id: report.id,
  user: report.user,
  name: report.name,
  queue: report.queue,
  state: report.state,
  finalStatus: report.finalStatus,
  progress: report.finalStatus === 'UNDEFINED' ? 0 : 100,
  trackingUI: report.finalStatus === 'UNDEFINED' ? 'ApplicationMaster' : 'History',
  trackingUrl: report.trackingUrl,
  diagnostics: report.diagnostics,
  clusterId: startedAt,
  applicationType: report.applicationType,
  applicationTags: '',
  startedTime: report.startedTime,
  finishedTime: report.finishedTime,
  elapsedTime: report.elapsedTime,
  amContainerLogs: '',
  amHostHttpAddress: hostname(),
  allocatedMB: report.allocatedMB,
  allocatedVCores: report.allocatedVCores,
  runningContainers: report.runningContainers,
});

const attemptOf = ({ id, startedTime }: ApplicationReport) => ({
  id: 1,
  appAttemptId: attemptId(id),
  startTime: startedTime,
  containerId: containerId(id, 1),
  nodeHttpAddress: hostname(),
  nodeId: hostname(),
  logsLink: '',
});

async function nodeOf(facts: ManagerFacts) {
  const { allocatedMB, availableMB, containersAllocated, allocatedVirtualCores, availableVirtualCores } =
    metricsOf(facts, await facts.metrics());
  return {
    rack: '/default-rack',
    state: 'RUNNING',
    id: hostname(),
    nodeHostName: hostname(),
    nodeHTTPAddress: hostname(),
    lastHealthUpdate: facts.startedAt,
    version,
    healthStatus: 'Healthy',
    healthReport: '',
    numContainers: containersAllocated,
    usedMemoryMB: allocatedMB,
    availMemoryMB: availableMB,
    usedVirtualCores: allocatedVirtualCores,
    availableVirtualCores,
  };
}

async function nodesOf(facts: ManagerFacts, query: URLSearchParams) {
  const wanted = (query.get('states') ?? query.get('state') ?? '').toUpperCase();
  const isWanted = wanted === '' || wanted.split(',').includes('RUNNING');
  return isWanted ? { node: [await nodeOf(facts)] } : null;
}
