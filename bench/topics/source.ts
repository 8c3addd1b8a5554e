import {
  type ApplicationReport,
  type ClusterContext,
  type ClusterDriver,
  type Master,
  NotFound,
} from '../../lib/driver-kit.js';
import { emptyCluster } from '../../test/helpers/empty-cluster.js';

// A cluster of many applications that costs next to nothing itself: plans are made once, a fifth of their operators
// changes with each call, and every call is counted.

export interface Source extends ClusterDriver {
  /** Calls since the last question, of the resource manager and of masters. */
  takeCalls(): Calls;
  /** Listens inside the gateway; the returned function ends it. */
  listen(topic: string, receive: (text: string) => void): () => void;
  /** Publishes one event of each of these applications. */
  publishEvents(appIds: readonly string[]): void;
  /** About what a second of these applications' topics holds, for the scale. */
  values(appId: string): unknown[];
}

export interface Calls {
  readonly lists: number;
  readonly masters: number;
}

const startedTime = 1_700_000_000_000;
const containersOfOne = 10;

export function manyApplications(applications: number, operatorsOfOne: number): Source {
  const empty = emptyCluster();
  const reports = Array.from({ length: applications }, (_, i) => reportOf(i));
  const plans = new Map<string, Plan>();
  let context: ClusterContext | undefined;
  let calls = { lists: 0, masters: 0 };
  let events = 0;

  function planOf(appId: string): Plan {
    const plan = plans.get(appId) ?? newPlan(appId, operatorsOfOne);
    plans.set(appId, plan);
    return plan;
  }

  const counted = <T>(answer: () => T) => {
    return async () => {
      calls.masters++;
      return answer();
    };
  };

  return {
    ...empty,
    name: 'many',
    async open(given) {
      context = given;
    },
    resourceManager: {
      ...empty.resourceManager,
      async listApplications() {
        calls.lists++;
        return reports;
      },
      async getApplication(appId) {
        const report = reports.find(({ id }) => id === appId);
        if (!report) throw new NotFound('application', appId);
        return report;
      },
    },
    async master(appId): Promise<Master> {
      const plan = planOf(appId);
      return {
        info: counted(() => plan.info),
        physicalPlan: counted(() => {
          move(plan);
          return { operators: plan.operators, streams: [] };
        }),
        logicalPlan: counted(() => ({ operators: [], streams: [] })),
        logicalOperators: counted(() => plan.logical),
        containers: counted(() => plan.containers),
        shutdown: counted(() => {}),
      };
    },
    takeCalls() {
      const taken = calls;
      calls = { lists: 0, masters: 0 };
      return taken;
    },
    listen(topic, receive) {
      if (!context) throw new Error('The driver is not open');
      return context.subscribe(topic, receive);
    },
    publishEvents(appIds) {
      for (const appId of appIds) {
        const event = {
          id: String(++events),
          timestamp: Date.now(),
          type: 'StopContainer',
          data: { containerId: 'container_1_1_1_000002', user: 'ada' },
        };
        context?.publish(appId, `applications.${appId}.events`, JSON.stringify(event));
      }
    },
    values(appId) {
      const { operators, logical, containers, info } = planOf(appId);
      return [operators, logical, containers, info.stats];
    },
  };
}

type Plan = ReturnType<typeof newPlan>;

const reportOf = (index: number): ApplicationReport => ({
  id: `application_1700000000000_${String(index + 1).padStart(4, '0')}`,
  name: `Clicks by country ${index}`,
  queue: 'default',
  state: 'RUNNING',
  finalStatus: 'UNDEFINED',
  startedTime,
  finishedTime: 0,
  elapsedTime: 3_600_000,
  diagnostics: '',
  trackingUrl: 'http://manager:8088/proxy/application',
  user: `user${index % 50}`,
  applicationType: 'StreamingApplication',
  currentAttemptId: `appattempt_1700000000000_${index}_000001`,
  runningContainers: containersOfOne,
  allocatedMB: 10_240,
  allocatedVCores: containersOfOne,
  observedAt: startedTime,
});

function newPlan(appId: string, count: number) {
  const containerOf = (index: number) =>
    `container_${appId.slice('application_'.length)}_01_${index % containersOfOne}`;
  const measured = (index: number) => ({
    cpuPercentageMA: Math.round(1250 + index * 14.3) / 100,
    currentWindowId: '6554698163142656012',
    recoveryWindowId: '6554698163142655952',
    failureCount: 0,
    lastHeartbeat: startedTime + index,
    latencyMA: 7 + (index % 5),
    totalTuplesEmitted: 1_000_000 * index,
    totalTuplesProcessed: 1_000_000 * index,
    tuplesEmittedPSMA: 1000 + index,
    tuplesProcessedPSMA: 1000 + index,
  });
  const portOf = (name: string, type: 'input' | 'output') => ({
    name,
    type,
    totalTuples: 123_456_789,
    tuplesPSMA: 1042,
    bufferServerBytesPSMA: 208_400,
  });
  const operators = Array.from({ length: count }, (_, index) => ({
    ...measured(index),
    id: String(index + 1),
    name: `operator ${index + 1}`,
    logicalName: `operator ${index + 1}`,
    className: 'com.example.clicks.CountryCounter',
    container: containerOf(index),
    host: 'node-17.example',
    status: 'ACTIVE' as const,
    recordingStartTime: -1,
    ports: [portOf('input', 'input'), portOf('output', 'output')],
    isUnifier: false,
    unifierClass: null,
  }));
  const logical = operators.map((operator, index) => ({
    ...measured(index),
    name: operator.name,
    className: operator.className,
    containerIds: [operator.container],
    hosts: [operator.host],
    partitions: [operator.id],
    unifiers: [],
    status: { ACTIVE: 1 },
  }));
  const containers = Array.from({ length: containersOfOne }, (_, index) => ({
    id: containerOf(index),
    host: 'node-17.example',
    state: 'ACTIVE' as const,
    jvmName: `${4000 + index}@node-17.example`,
    lastHeartbeat: startedTime,
    numOperators: count / containersOfOne,
    operators: Object.fromEntries(
      operators.filter((_, i) => i % containersOfOne === index).map(({ id, name }) => [id, name]),
    ),
    memoryMBAllocated: 1024,
    memoryMBFree: 400,
    gcCollectionTime: 1000,
    gcCollectionCount: 100,
    containerLogsUrl: '',
    rawContainerLogsUrl: '',
    startedTime,
    finishedTime: -1,
    containerType: 'STREAMING' as const,
  }));
  const info = {
    appPath: '/user/ada/apps',
    appMasterTrackingUrl: '',
    version: '1.0',
    gatewayAddress: '',
    gatewayConnected: true,
    connectedToThisGateway: true,
    dataSources: [],
    metrics: {},
    attributes: {},
    stats: {
      latency: 12,
      plannedContainers: containersOfOne,
      failedContainers: 0,
      allocatedContainers: containersOfOne,
      numOperators: count,
      windowStartMillis: startedTime,
      criticalPath: ['1', '2', '3'],
      currentWindowId: '6554698163142656012',
      recoveryWindowId: '6554698163142655952',
      tuplesProcessedPSMA: 100_000,
      totalTuplesProcessed: 1_000_000_000,
      tuplesEmittedPSMA: 100_000,
      totalTuplesEmitted: 1_000_000_000,
      totalMemoryAllocated: 10_240,
      memoryRequired: 0,
      totalVCoresAllocated: containersOfOne,
      vcoresRequired: 0,
      totalBufferServerReadBytesPSMA: 1_000_000,
      totalBufferServerWriteBytesPSMA: 1_000_000,
    },
  };
  return { operators, logical, containers, info, round: 0 };
}

/** A fifth of the operators has counted on. */
function move(plan: Plan): void {
  plan.round++;
  for (let i = plan.round % 5; i < plan.operators.length; i += 5) {
    const operator = plan.operators[i];
    if (operator) operator.totalTuplesEmitted += 1000;
  }
}
