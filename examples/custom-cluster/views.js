// What pipelines look like in the shapes of the API.
import { hostname } from 'node:os';
import { requireRunning } from './pipeline.js';

const host = hostname();
const megabytes = (bytes) => Math.ceil(bytes / 2 ** 20);
const sum = (items, of) => items.reduce((total, item) => total + of(item), 0);
const running = ({ finishedTime }) => !finishedTime;
const alive = ({ finishedTime }) => finishedTime < 0;

/** Streaming windows of half a second: epoch seconds in the upper 32 bits, a counter in the lower. Lines wait for none. */
const windowAt = (millis) =>
  String((BigInt(Math.floor(millis / 1000)) << 32n) | BigInt(Math.floor((millis % 1000) / 500)));

/** Lines a second over the last samples. */
function rate({ samples }, of) {
  const [first] = samples;
  const last = samples.at(-1);
  return samples.length < 2 ? 0 : ((last[of] - first[of]) / (last.at - first.at)) * 1000;
}

const memoryMB = ({ operators }) => megabytes(sum(operators.filter(alive), (one) => one.memoryBytes));

export function reportOf(pipeline) {
  const { id, name, user, state, startedTime, finishedTime, diagnostics, operators } = pipeline;
  const active = operators.filter(alive).length;
  return {
    id,
    name,
    user,
    queue: 'default',
    state,
    finalStatus: { RUNNING: 'UNDEFINED', FINISHED: 'SUCCEEDED' }[state] ?? state,
    startedTime,
    finishedTime,
    elapsedTime: (finishedTime || Date.now()) - startedTime,
    diagnostics,
    trackingUrl: '',
    applicationType: 'Pipeline',
    currentAttemptId: `${id.replace('application', 'appattempt')}_000001`,
    runningContainers: finishedTime ? -1 : active,
    allocatedMB: memoryMB(pipeline),
    allocatedVCores: active,
    observedAt: Date.now(),
  };
}

export function metricsOf(all) {
  const now = all.filter(running);
  const operators = now.flatMap((one) => one.operators).filter(alive);
  const inState = (state) => all.filter((one) => one.state === state).length;
  return {
    averageAge: now.length === 0 ? 0 : sum(now, (one) => Date.now() - one.startedTime) / now.length,
    cpuPercentage: sum(operators, ({ cpu }) => cpu),
    currentMemoryAllocatedMB: sum(now, memoryMB),
    maxMemoryAllocatedMB: sum(now, memoryMB),
    numAppsFailed: inState('FAILED'),
    numAppsFinished: inState('FINISHED'),
    numAppsKilled: inState('KILLED'),
    numAppsPending: 0,
    numAppsRunning: now.length,
    numAppsSubmitted: all.length,
    numContainers: operators.length,
    numOperators: operators.length,
    tuplesEmittedPSMA: sum(operators, (one) => rate(one, 'emitted')),
    tuplesProcessedPSMA: sum(operators, (one) => rate(one, 'processed')),
  };
}

/** The `Master` of one application. */
export function viewOf(pipeline) {
  const { operators, definition } = pipeline;
  const streams = definition.streams.map(({ name, source, sinks }, index) => ({
    name: name ?? `stream-${index}`,
    source,
    sinks,
  }));
  const end = ({ operatorName, portName }) => ({
    operatorId: operators.find(({ name }) => name === operatorName).id,
    portName,
  });
  return {
    info: async () => infoOf(pipeline),
    physicalPlan: async () => ({
      operators: operators.map((operator) => physicalOf(pipeline, operator)),
      streams: streams.map(({ name, source, sinks }) => ({
        logicalName: name,
        locality: null,
        source: end(source),
        sinks: sinks.map(end),
      })),
    }),
    logicalPlan: async () => ({
      operators: definition.operators.map(({ name, class: className, properties }) => ({
        name,
        class: className,
        attributes: {},
        ports: portsOf(streams, name).map((port) => ({ ...port, attributes: {} })),
        properties: { ...properties, class: className },
      })),
      streams: streams.map((stream) => ({ ...stream, locality: null })),
    }),
    logicalOperators: async () => operators.map((operator) => logicalOf(pipeline, operator)),
    containers: async () => [masterOf(pipeline), ...operators.map((one) => containerOf(pipeline, one))],
    async shutdown() {
      requireRunning(pipeline);
      pipeline.shutdown();
    },
  };
}

const portsOf = (streams, operatorName) =>
  streams.flatMap(({ source, sinks }) => [
    ...(source.operatorName === operatorName ? [{ name: source.portName, type: 'output' }] : []),
    ...sinks
      .filter((sink) => sink.operatorName === operatorName)
      .map(({ portName }) => ({ name: portName, type: 'input' })),
  ]);

const containerId = ({ id }, operatorId) =>
  `${id.replace('application', 'container')}_01_${String(Number(operatorId) + 1).padStart(6, '0')}`;

/** Members that physical and logical operators share. Programs keep no state: any window will do to go on from. */
const measured = (operator) => ({
  cpuPercentageMA: operator.cpu,
  currentWindowId: windowAt(alive(operator) ? Date.now() : operator.finishedTime),
  recoveryWindowId: windowAt(alive(operator) ? Date.now() : operator.finishedTime),
  failureCount: 0,
  lastHeartbeat: operator.samples.at(-1)?.at ?? -1,
  latencyMA: -1, // lines carry no time
  totalTuplesEmitted: operator.emitted,
  totalTuplesProcessed: operator.processed,
  tuplesEmittedPSMA: rate(operator, 'emitted'),
  tuplesProcessedPSMA: rate(operator, 'processed'),
});

const physicalOf = (pipeline, operator) => ({
  ...measured(operator),
  id: operator.id,
  name: operator.name,
  logicalName: operator.name,
  className: operator.className,
  container: containerId(pipeline, operator.id),
  host,
  status: alive(operator) ? 'ACTIVE' : 'INACTIVE',
  recordingStartTime: -1,
  ports: portsOf(pipeline.definition.streams, operator.name).map(({ name, type }) => ({
    name,
    type,
    totalTuples: type === 'output' ? operator.emitted : operator.processed,
    tuplesPSMA: rate(operator, type === 'output' ? 'emitted' : 'processed'),
    bufferServerBytesPSMA: 0,
  })),
  isUnifier: false,
  unifierClass: null,
});

const logicalOf = (pipeline, operator) => ({
  ...measured(operator),
  name: operator.name,
  className: operator.className,
  containerIds: [containerId(pipeline, operator.id)],
  hosts: [host],
  partitions: [operator.id],
  unifiers: [],
  status: { [alive(operator) ? 'ACTIVE' : 'INACTIVE']: 1 },
});

const container = {
  host,
  gcCollectionTime: 0,
  gcCollectionCount: 0,
  containerLogsUrl: '',
  rawContainerLogsUrl: '',
};

const containerOf = (pipeline, operator) => ({
  ...container,
  id: containerId(pipeline, operator.id),
  state: alive(operator) ? 'ACTIVE' : 'KILLED',
  jvmName: `${operator.process.pid ?? ''}@${host}`,
  lastHeartbeat: operator.samples.at(-1)?.at ?? -1,
  numOperators: 1,
  operators: { [operator.id]: operator.name },
  memoryMBAllocated: megabytes(operator.memoryBytes),
  memoryMBFree: 0,
  startedTime: operator.startedTime,
  finishedTime: operator.finishedTime,
  containerType: 'STREAMING',
});

/** This process is the master of all of them. */
const masterOf = (pipeline) => ({
  ...container,
  id: containerId(pipeline, 0),
  state: running(pipeline) ? 'ACTIVE' : 'KILLED',
  jvmName: `${process.pid}@${host}`,
  lastHeartbeat: Date.now(),
  numOperators: 0,
  operators: {},
  memoryMBAllocated: 0,
  memoryMBFree: 0,
  startedTime: pipeline.startedTime,
  finishedTime: pipeline.finishedTime || -1,
  containerType: 'APP_MASTER',
});

const infoOf = (pipeline) => ({
  appPath: '',
  appMasterTrackingUrl: '',
  version: 'pipelines',
  gatewayAddress: '',
  gatewayConnected: false,
  connectedToThisGateway: false,
  dataSources: [],
  metrics: {},
  attributes: {},
  stats: running(pipeline) ? statsOf(pipeline) : null,
});

function statsOf(pipeline) {
  const living = pipeline.operators.filter(alive);
  const memory = memoryMB(pipeline);
  return {
    latency: -1,
    plannedContainers: pipeline.operators.length,
    failedContainers: 0,
    allocatedContainers: living.length,
    numOperators: pipeline.operators.length,
    windowStartMillis: pipeline.startedTime,
    criticalPath: [],
    currentWindowId: windowAt(Date.now()),
    recoveryWindowId: windowAt(Date.now()),
    tuplesProcessedPSMA: sum(living, (one) => rate(one, 'processed')),
    totalTuplesProcessed: sum(pipeline.operators, (one) => one.processed),
    tuplesEmittedPSMA: sum(living, (one) => rate(one, 'emitted')),
    totalTuplesEmitted: sum(pipeline.operators, (one) => one.emitted),
    totalMemoryAllocated: memory,
    memoryRequired: 0,
    totalVCoresAllocated: living.length,
    vcoresRequired: 0,
    totalBufferServerReadBytesPSMA: 0,
    totalBufferServerWriteBytesPSMA: 0,
  };
}
