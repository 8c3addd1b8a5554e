import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { beansClass, type DoubleApplication, type DoubleOperator } from './application.js';
import {
  type Answer,
  type Asked,
  type DoubleServer,
  html,
  json,
  quoted,
  remoteException,
  serve,
} from './server.js';

const notFound = remoteException('NotFoundException', 404);
const done = json({});
const Named = z.record(z.string(), z.unknown());
const Loggers = z.object({ loggers: z.array(z.object({ target: z.string(), logLevel: z.string() })) });
const Changes = z.object({ requests: z.array(z.record(z.string(), z.string())) });
const Windows = z.object({ numWindows: z.coerce.number().optional() });

/** The web service of an application's master, at another port with each attempt. */
export interface DoubleMaster {
  readonly server: DoubleServer;
  /** Asked for by all but the path `/ws`; `undefined`: no cookie needed. */
  cookie: string | undefined;
}

export async function doubleMaster(
  application: DoubleApplication,
  hooks: { shutdown(): void; restart(): void },
): Promise<DoubleMaster> {
  const server = await serve((asked) => {
    if (asked.path === '/ws') {
      const { cookie } = master;
      return {
        ...json({ version: 'v2' }),
        headers: {
          'content-type': 'application/json',
          ...(cookie ? { 'set-cookie': `dt-client=${cookie}; Path=/; HttpOnly` } : {}),
        },
      };
    }
    if (master.cookie && !asked.headers.cookie?.includes(`dt-client=${master.cookie}`))
      return html('Unauthorized', 401);
    const path = asked.path.replace(/^\/ws\/v2\/stram\/?/, '');
    if (path === asked.path) return html('not found', 404);
    if (asked.method === 'POST' && asked.body !== '' && asked.headers['content-type'] !== 'application/json')
      return html('Unsupported Media Type', 415);
    return answer(application, { ...asked, path }, hooks);
  });
  const master: DoubleMaster = { server, cookie: undefined };
  addresses.set(application, () => server.host);
  return master;
}

const addresses = new WeakMap<DoubleApplication, () => string>();

function answer(
  app: DoubleApplication,
  { method, path, query, body }: Asked,
  hooks: { shutdown(): void; restart(): void },
): Answer | Promise<Answer> {
  const sent = (): unknown => (body === '' ? {} : JSON.parse(body));
  const parts = path.split('/');
  const [area, kind, id = ''] = parts;
  if (method === 'POST' && path === 'shutdown') {
    hooks.shutdown();
    return done;
  }
  if (path === '' || path === 'info') return quoted(info(app));
  if (path === 'loggers') {
    if (method === 'POST') app.loggers.push(...Loggers.parse(sent()).loggers);
    return method === 'POST' ? done : quoted({ loggers: app.loggers });
  }
  if (path === 'loggers/search')
    return quoted({
      loggers: [
        { name: 'com.x.Y', level: '' },
        { name: 'com.x', level: 'INFO' },
      ],
    });
  if (area === 'operatorClasses') return classes(app, kind, query);
  if (path === 'physicalPlan') return quoted({ operators: operators(app), streams: streams(app) });
  if (path === 'physicalPlan/operators') return quoted({ operators: operators(app) });
  if (path === 'physicalPlan/streams') return quoted({ streams: streams(app) });
  if (path === 'physicalPlan/containers') return quoted({ containers: containers(app) });
  if (path === 'logicalPlan')
    return method === 'POST' ? changeInTime(app, Changes.parse(sent()).requests) : quoted(logicalPlan(app));
  if (path === 'logicalPlan/operators')
    return quoted({ operators: app.operators.map((one) => logical(app, one)) });
  if (area === 'physicalPlan' && kind === 'containers') {
    if (parts[3] === 'kill') {
      if (id === app.masterContainer) hooks.restart();
      else app.killContainer(id);
      return done;
    }
    const container = containers(app).find((one) => one.id === id);
    if (!container || (parts[3] === 'stackTrace' && container.state !== 'ACTIVE')) return notFound;
    if (parts[3] !== 'stackTrace') return quoted(container);
    return json({
      threads: [{ name: 'main', state: 'RUNNABLE', id: 1, stackTraceElements: ['a.B.c(B.java:1)'] }],
    });
  }
  if (area === 'physicalPlan' && kind === 'operators') {
    if (!/^\d+$/.test(id)) return html('not found', 404);
    const operator = app.operators.find((one) => one.id === id);
    return physical(app, operator, parts.slice(3), { method, sent, query });
  }
  if (area === 'logicalPlan' && kind === 'operators') {
    const operator = app.operators.find(({ name }) => name === id);
    if (!operator) return notFound;
    if (parts[3] === undefined) return quoted(logical(app, operator));
    if (parts[3] !== 'properties') return notFound;
    if (method === 'GET') return quoted({ ...operator.properties, class: operator.className });
    return set(app, operator, Named.parse(sent()), false);
  }
  return html('not found', 404);
}

function physical(
  app: DoubleApplication,
  operator: DoubleOperator | undefined,
  [what, ...rest]: string[],
  { method, sent, query }: { method: string; sent: () => unknown; query: URLSearchParams },
): Answer | Promise<Answer> {
  if (what === 'properties') {
    if (method === 'POST') {
      return operator ? set(app, operator, Named.parse(sent()), true) : done;
    }
    return operator
      ? readLive(app, operator, query.get('propertyName'))
      : remoteException('NullPointerException', 500);
  }
  if (!operator)
    return what === 'recordings'
      ? remoteException('NotFoundException', 404, 'Operator ID not found')
      : notFound;
  if (what === undefined) return quoted(operators(app).find(({ id }) => id === operator.id));
  const port = what === 'ports' ? app.portsOf(operator).find(({ name }) => name === rest[0]) : undefined;
  const order = what === 'ports' ? rest.slice(1) : rest;
  if (order.includes('start')) {
    const { numWindows } = Windows.parse(sent());
    return json({ id: app.startRecording(operator, port, numWindows) });
  }
  if (order.includes('stop')) {
    app.stopRecording(operator, port);
    return done;
  }
  return notFound;
}

/** Milliseconds that a master waits for a container. */
export const containerPatience = 5000;

/** Real numbers here, unlike anywhere else. What can't be serialized ends the container that tries. */
async function readLive(
  app: DoubleApplication,
  operator: DoubleOperator,
  only: string | null,
): Promise<Answer> {
  const { live, className, container } = operator;
  app.liveReads++;
  const names = Object.keys(live).filter((name) => only === null || name === only);
  const ends = className === beansClass && names.some((name) => typeof live[name] === 'object');
  const isAnswered = operator.status === 'ACTIVE' && !operator.isSilent && !ends;
  if (isAnswered) return asWritten(Object.fromEntries(names.map((name) => [name, live[name]])));
  if (ends) app.killContainer(container);
  // One after the other.
  app.waiting = app.waiting.then(() => delay(containerPatience));
  await app.waiting;
  return remoteException('RuntimeException', 500, 'java.util.concurrent.TimeoutException');
}

/** `ratio` is a double, which Java writes with a point. */
function asWritten(values: Readonly<Record<string, unknown>>): Answer {
  const answer = json(values);
  return { ...answer, body: String(answer.body).replace(/"ratio":(-?\d+)(?=[,}])/, '"ratio":$1.0') };
}

/**
 * As commons-beanutils does: what there is not is ignored, and what is no number is 0; and as the engine, which writes an
 * order down before it fails at what can't be made of a text.
 */
function set(
  app: DoubleApplication,
  operator: DoubleOperator,
  values: Readonly<Record<string, unknown>>,
  isPhysical: boolean,
): Answer {
  for (const [name, value] of Object.entries(values)) {
    const [head = '', ...parts] = name.split(/[.[\]()]+/).filter((part) => part !== '');
    const now = parts.reduce<unknown>(
      (inner, part) => (inner as Record<string, unknown> | undefined)?.[part],
      operator.properties[head],
    );
    if ((typeof now === 'object' && now !== null) || /mode$/.test(name)) {
      app.poison.push(name);
      return remoteException('RuntimeException', 500, 'java.lang.IllegalArgumentException: type mismatch');
    }
    app.event(isPhysical ? 'SetPhysicalOperatorProperty' : 'SetOperatorProperty', {
      operatorName: operator.name,
      ...(isPhysical ? { operatorId: operator.id } : {}),
      propertyName: name,
      propertyValue: String(value),
    });
    if (now === undefined || head === 'count') continue;
    const typed =
      typeof now === 'number'
        ? Number(value) || 0
        : typeof now === 'boolean'
          ? String(value) === 'true'
          : value;
    for (const bean of isPhysical ? [operator.live] : [operator.properties, operator.live]) {
      const place = parts
        .slice(0, -1)
        .reduce<Record<string, unknown>>(
          (inner, part) => inner[part] as Record<string, unknown>,
          parts.length === 0 ? bean : (bean[head] as Record<string, unknown>),
        );
      place[parts.at(-1) ?? head] = typed;
    }
    if (name !== 'broken') continue;
    operator.isLooping = typed === true;
    if (typed === true) app.killContainer(operator.container);
  }
  return done;
}

function info(app: DoubleApplication) {
  return {
    id: app.id,
    name: app.launch.name,
    user: app.user,
    startTime: app.startedTime,
    elapsedTime: Date.now() - app.startedTime,
    appPath: `hdfs://127.0.0.1:8020${app.folder}`,
    gatewayAddress: String(app.attributes['GATEWAY_CONNECT_ADDRESS'] ?? ''),
    gatewayConnected: false,
    appDataSources: null,
    metrics: app.metrics,
    attributes: {
      ...Object.fromEntries(Object.entries(app.attributes).map(([name, value]) => [name, String(value)])),
      SSL_CONFIG: 'null',
    },
    appMasterTrackingUrl: addresses.get(app)?.() ?? '',
    version: '3.7.0 from rev: cd0b0d9 branch: cd0b0d9f31b3 by Ann Example on 14.04.2018 @ 08:03:49 PDT',
    stats: {
      allocatedContainers: app.containers.filter(({ state }) => state === 'ACTIVE').length,
      plannedContainers: app.operators.length + 1,
      failedContainers: app.failedContainers,
      numOperators: app.operators.length,
      latency: 3,
      windowStartMillis: app.startedTime,
      criticalPath: app.operators.map(({ id }) => id),
      currentWindowId: app.window,
      recoveryWindowId: app.window - 1n,
      tuplesProcessedPSMA: 20,
      totalTuplesProcessed: app.operators.reduce((sum, one) => sum + app.tuplesOf(one), 0),
      tuplesEmittedPSMA: 20,
      totalTuplesEmitted: app.operators.reduce((sum, one) => sum + app.tuplesOf(one), 0),
      totalMemoryAllocated: 640,
      memoryRequired: 0,
      totalVCoresAllocated: 2,
      vcoresRequired: 0,
      totalBufferServerReadBytesPSMA: 0,
      totalBufferServerWriteBytesPSMA: 0,
    },
  };
}

function operators(app: DoubleApplication) {
  return app.operators.map((operator) => {
    const tuples = app.tuplesOf(operator);
    return {
      id: operator.id,
      name: operator.name,
      className: operator.className,
      container: operator.container,
      host: '127.0.0.1:1',
      totalTuplesProcessed: tuples,
      totalTuplesEmitted: tuples,
      tuplesProcessedPSMA: 20,
      tuplesEmittedPSMA: 20,
      cpuPercentageMA: 0.159,
      latencyMA: 3,
      status: operator.status,
      lastHeartbeat: Date.now(),
      failureCount: operator.failureCount,
      recoveryWindowId: app.window - 1n,
      currentWindowId: app.window,
      ports: app.portsOf(operator).map((port) => ({
        ...port,
        totalTuples: tuples,
        tuplesPSMA: 20,
        bufferServerBytesPSMA: 0,
        queueSizeMA: 0,
      })),
      unifierClass: null,
      logicalName: operator.name,
      recordingId: operator.recordingId,
      counters: null,
      metrics: {},
      checkpointStartTime: 0,
      checkpointTime: 0,
      checkpointTimeMA: 0,
    };
  });
}

function streams(app: DoubleApplication) {
  const idOf = (name: string) => app.operators.find((one) => one.name === name)?.id ?? '';
  return app.streams.map(({ name, source, sinks }) => ({
    logicalName: name,
    source: { operatorId: idOf(source.operatorName), portName: source.portName },
    sinks: sinks.map((sink) => ({ operatorId: idOf(sink.operatorName), portName: sink.portName })),
    locality: null,
  }));
}

function containers(app: DoubleApplication) {
  return app.containers.map(({ id, state, startedTime, finishedTime }) => {
    const own = app.operators.filter(({ container }) => container === id);
    const isMaster = id === app.masterContainer;
    return {
      id,
      host: '127.0.0.1:1',
      state,
      jvmName: '1@127.0.0.1',
      lastHeartbeat: isMaster ? -1 : Date.now(),
      numOperators: own.length,
      operators: isMaster ? null : Object.fromEntries(own.map((one) => [one.id, one.name])),
      memoryMBAllocated: 320,
      memoryMBFree: 100,
      gcCollectionTime: 0,
      gcCollectionCount: 0,
      ...app.logUrls(id),
      startedTime,
      finishedTime,
    };
  });
}

const logicalPlan = (app: DoubleApplication) => ({
  operators: app.operators.map((operator) => ({
    name: operator.name,
    class: operator.className,
    attributes: { MEMORY_MB: 256, TIMEOUT_WINDOW_COUNT: 120 },
    properties: { '@class': operator.className, ...operator.properties },
    ports: app
      .portsOf(operator)
      .map(({ name, type }) => ({ name, type, attributes: { QUEUE_CAPACITY: 1024 } })),
  })),
  streams: app.streams,
  attributes: app.attributes,
});

function logical(app: DoubleApplication, operator: DoubleOperator) {
  const tuples = app.tuplesOf(operator);
  return {
    name: operator.name,
    className: operator.className,
    totalTuplesProcessed: tuples,
    totalTuplesEmitted: tuples,
    tuplesProcessedPSMA: 20,
    tuplesEmittedPSMA: 20,
    cpuPercentageMA: 0.159,
    latencyMA: 3,
    status: { [operator.status]: 1 },
    lastHeartbeat: Date.now(),
    failureCount: operator.failureCount,
    recoveryWindowId: app.window - 1n,
    currentWindowId: app.window,
    containerIds: [operator.container],
    partitions: [operator.id],
    unifiers: [],
    hosts: ['127.0.0.1:1'],
    counters: null,
    autoMetrics: null,
    checkpointTimeMA: 0,
  };
}

/** All or none, as the engine: on a copy first. */
const knownRequests = new Set(
  ['CreateOperator', 'RemoveOperator', 'CreateStream', 'RemoveStream', 'AddStreamSink']
    .concat(['SetOperatorProperty', 'SetOperatorAttribute', 'SetPortAttribute', 'SetStreamAttribute'])
    .map((name) => `${name}Request`),
);

/** The engine gives up waiting for itself after 3 s, and goes on all the same. */
function changeInTime(app: DoubleApplication, requests: readonly Readonly<Record<string, string>>[]): Answer {
  const { changesLater } = app;
  if (changesLater === undefined) return change(app, requests);
  if (changesLater === 'done') setTimeout(() => change(app, requests), 1000).unref();
  return json({ error: 'java.util.concurrent.TimeoutException' });
}

function change(app: DoubleApplication, requests: readonly Readonly<Record<string, string>>[]): Answer {
  for (const { requestType, operatorFQCN = '' } of requests) {
    if (!knownRequests.has(requestType ?? ''))
      return json({
        error: `java.lang.ClassNotFoundException: com.datatorrent.stram.plan.logical.requests.${requestType}`,
      });
    if (requestType === 'CreateOperatorRequest' && /^(?:com\.nix|nonsense)\./.test(operatorFQCN))
      return json({
        error: `java.lang.IllegalArgumentException: Class not found: ${operatorFQCN}\n\tat x.Y.z(Y.java:1)`,
      });
  }
  for (const request of requests) {
    const { requestType, operatorName = '', operatorFQCN = '', streamName = '' } = request;
    const sink = {
      operatorName: request['sinkOperatorName'] ?? '',
      portName: request['sinkOperatorPortName'] ?? '',
    };
    if (requestType === 'CreateOperatorRequest') app.addOperator(operatorName, operatorFQCN);
    else if (requestType === 'AddStreamSinkRequest')
      app.streams.find(({ name }) => name === streamName)?.sinks.push(sink);
    else if (requestType === 'RemoveStreamRequest')
      app.streams = app.streams.filter(({ name }) => name !== streamName);
    else if (requestType === 'CreateStreamRequest')
      app.streams.push({
        name: streamName,
        source: {
          operatorName: request['sourceOperatorName'] ?? '',
          portName: request['sourceOperatorPortName'] ?? '',
        },
        sinks: [sink],
      });
    else if (requestType === 'RemoveOperatorRequest') {
      app.operators = app.operators.filter(({ name }) => name !== operatorName);
      app.streams = app.streams.map((stream) => ({
        ...stream,
        sinks: stream.sinks.filter((one) => one.operatorName !== operatorName),
      }));
    } else if (requestType === 'SetOperatorPropertyRequest') {
      if (!requests.some((one) => one['operatorName'] === operatorName && one['operatorFQCN']))
        return json({
          error: 'javax.validation.ValidationException: cannot set properties of a running operator',
        });
      const operator = app.operators.find(({ name }) => name === operatorName);
      if (operator) set(app, operator, { [request['propertyName'] ?? '']: request['propertyValue'] }, false);
    }
    app.event('ChangeLogicalPlan', { request: JSON.stringify(request) });
  }
  return done;
}

function classes(app: DoubleApplication, name: string | undefined, query: URLSearchParams): Answer {
  const known = [...new Set(app.operators.map(({ className }) => className))];
  if (name === undefined) {
    const parent = query.get('parent');
    if (parent && !known.includes(parent)) return remoteException('NotFoundException', 404);
    const q = query.get('q')?.toLowerCase() ?? '';
    return json({
      operatorClasses: known.filter((one) => one.toLowerCase().includes(q)).map((one) => ({ name: one })),
    });
  }
  if (app.hidesClasses || !known.includes(name)) return remoteException('NotFoundException', 404);
  return json({
    name,
    properties: name === beansClass ? beansProperties : plainPropertiesOf(app, name),
    portTypeInfo: [{ name: 'out', type: 'java.lang.String' }],
    inputPorts: [],
    outputPorts: [{ name: 'out', optional: true, error: false, schemaRequired: false }],
  });
}

const property = (name: string, type: string, more: Readonly<Record<string, unknown>> = {}) => ({
  name,
  canGet: true,
  canSet: true,
  type,
  ...more,
});

const plainProperties = [
  property('tuplesBlast', 'int', { descriptions: { $: 'how many' } }),
  property('quiet', 'boolean'),
  property('label', 'java.lang.String'),
  property('ratio', 'double'),
  property('tags', 'java.util.List', { uiType: 'List', typeArgs: [{ type: 'java.lang.String' }] }),
  property('name', 'java.lang.String', { canSet: false }),
];

const plainPropertiesOf = (app: DoubleApplication, className: string) =>
  plainProperties.filter(
    ({ name }) =>
      name === 'name' ||
      app.operators.some((one) => one.className === className && Object.hasOwn(one.properties, name)),
  );

const rangeType = 'com.example.Beans$Range';
const beansProperties = [
  property('limit', 'int'),
  property('ratio', 'double'),
  property('label', 'java.lang.String'),
  property('broken', 'boolean'),
  property('count', 'long', { canSet: false }),
  property('mode', 'com.example.Beans$Mode', { uiType: 'Enum' }),
  property('range', rangeType),
  property('ranges', 'java.util.List', { uiType: 'List', typeArgs: [{ type: rangeType }] }),
  property('named', 'java.util.Map', {
    uiType: 'Map',
    typeArgs: [{ type: 'java.lang.String' }, { type: rangeType }],
  }),
];
