import { randomBytes } from 'node:crypto';
import type { JsonApplication } from '../../../lib/driver-kit.js';
import type { DoubleFiles } from './files.js';
import { Recorded } from './recording.js';

export interface DoubleLaunch {
  readonly name: string;
  readonly user?: string;
  readonly queue?: string;
  readonly application: JsonApplication;
  readonly type?: string;
  /** Ends so before it runs. */
  readonly failure?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** From accepted to running it takes until this is kept. Default: 20 ms. */
  readonly starts?: Promise<void>;
}

export interface DoublePort {
  readonly name: string;
  readonly type: 'input' | 'output';
  recordingId: string | null;
}

export interface DoubleOperator {
  readonly id: string;
  readonly name: string;
  readonly className: string;
  readonly ports: DoublePort[];
  /** Of the logical operator. */
  readonly properties: Record<string, unknown>;
  /** Of this one where it runs. */
  readonly live: Record<string, unknown>;
  container: string;
  status: 'PENDING_DEPLOY' | 'ACTIVE';
  recordingId: string | null;
  failureCount: number;
  /** Its container does not answer questions about properties. */
  isSilent: boolean;
  /** It is deployed anew as soon as it runs, until its property `broken` is false. */
  isLooping: boolean;
  /** When it began to count. */
  readonly since: number;
}

export interface DoubleContainer {
  readonly id: string;
  state: 'ALLOCATED' | 'ACTIVE' | 'KILLED';
  readonly startedTime: number;
  finishedTime: number;
}

export interface DoubleStream {
  readonly name: string;
  readonly source: { readonly operatorName: string; readonly portName: string };
  readonly sinks: { readonly operatorName: string; readonly portName: string }[];
}

/** Of a class whose beans can't be serialized, as of most operators. */
export const beansClass = 'com.example.Beans';
const range = () => ({ low: 1, high: 9, mode: 'CALM' });
const defaultsOf = (className: string): Record<string, unknown> =>
  className === beansClass
    ? {
        ...{ limit: 10, ratio: 1.5, label: '7', broken: false, count: 0, mode: 'CALM', range: range() },
        ...{ ranges: [range()], named: { first: range() } },
      }
    : { tuplesBlast: 10, quiet: false, label: 'x' };

type State = 'ACCEPTED' | 'RUNNING' | 'FINISHED' | 'FAILED' | 'KILLED';

const tuplesPerSecond = 20;

/** An application that runs as far as can be seen from outside: windows go on, tuples are counted, files are written. */
export class DoubleApplication {
  readonly id: string;
  readonly startedTime = Date.now();
  readonly folder: string;
  state: State = 'ACCEPTED';
  finalStatus = 'UNDEFINED';
  finishedTime = 0;
  diagnostics = '';
  attempt = 1;
  operators: DoubleOperator[] = [];
  streams: DoubleStream[] = [];
  containers: DoubleContainer[] = [];
  loggers: { target: string; logLevel: string }[] = [];
  readonly recordings: Recorded[] = [];
  readonly attributes: Record<string, unknown>;
  /** Log name to text, of every container. */
  readonly logs = new Map<string, string>([
    ['apex.log', 'INFO the first line\nWARN the second one\n'],
    ['stdout', ''],
    ['stderr', ''],
  ]);
  nextOperator = 1;
  nextEvent = 3;
  failedContainers = 0;
  /** Its master can't describe classes. */
  hidesClasses = false;
  /** Its master is busy: it answers changes of its plan before it does them, if it does them at all. */
  changesLater: 'done' | 'lost' | undefined;
  /** Operator to metric to value. */
  metrics: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {};
  /** How often a container was asked for properties. */
  liveReads = 0;
  /** Until its master has given up all containers that it waits for. */
  waiting: Promise<unknown> = Promise.resolve();
  /** Orders that fail, and were written down: a master that starts again can't read them. */
  readonly poison: string[] = [];
  readonly #number: number;
  #nextContainer = 1;
  #stats = 0;

  constructor(
    readonly launch: DoubleLaunch,
    readonly files: DoubleFiles,
    place: { readonly clusterTime: number; readonly number: number; readonly root: string },
  ) {
    this.#number = place.number;
    this.id = `application_${place.clusterTime}_${String(place.number).padStart(4, '0')}`;
    this.folder = `${place.root}/apps/${this.id}`;
    this.attributes = {
      APPLICATION_NAME: launch.name,
      APPLICATION_ID: this.id,
      APPLICATION_PATH: `hdfs://127.0.0.1:8020${this.folder}`,
      STREAMING_WINDOW_SIZE_MILLIS: 500,
      GATEWAY_CONNECT_ADDRESS: '127.0.0.1:9090',
      GATEWAY_PASSWORD: 'very secret',
      ...launch.application.attributes,
      ...launch.attributes,
    };
  }

  get user(): string {
    return this.launch.user ?? 'hadoop';
  }

  containerId(number: number): string {
    const [, time, id] = this.id.split('_');
    return `container_${time}_${id}_${String(this.attempt).padStart(2, '0')}_${String(number).padStart(6, '0')}`;
  }

  get masterContainer(): string {
    return this.containerId(1);
  }

  /** A new attempt begins its collections anew. */
  begin(): void {
    this.state = 'RUNNING';
    this.#nextContainer = 2;
    this.containers = [
      { id: this.masterContainer, state: 'ACTIVE', startedTime: Date.now(), finishedTime: -1 },
    ];
    this.files.write(
      `${this.folder}/meta.json`,
      JSON.stringify({
        attributes: this.attributes,
        metrics: { [this.launch.application.operators[0]?.name ?? '']: ['load'] },
      }),
    );
    this.files.write(`${this.folder}/events/meta.txt`, '1.0\n');
    this.files.write(`${this.folder}/events/index.txt`, '');
    this.files.write(`${this.folder}/events/part0.txt`, '');
    this.#writeContainer(this.masterContainer);
    const { operators, streams } = this.launch.application;
    if (this.operators.length === 0) {
      this.streams = streams.map((stream, i) => ({
        name: stream.name ?? `stream-${i}`,
        source: stream.source,
        sinks: [...stream.sinks],
      }));
      for (const operator of operators) this.addOperator(operator.name, operator.class, operator.properties);
    } else for (const operator of this.operators) this.#deploy(operator);
  }

  addOperator(name: string, className: string, properties: Readonly<Record<string, unknown>> = {}): void {
    const known = { ...defaultsOf(className), ...properties };
    const operator: DoubleOperator = {
      id: String(this.nextOperator++),
      name,
      className,
      ports: [],
      properties: structuredClone(known),
      live: structuredClone(known),
      container: '',
      status: 'PENDING_DEPLOY',
      recordingId: null,
      failureCount: 0,
      isSilent: false,
      isLooping: false,
      since: Date.now(),
    };
    this.operators.push(operator);
    this.#deploy(operator);
  }

  portsOf({ name, ports }: DoubleOperator): DoublePort[] {
    const port = (portName: string, type: 'input' | 'output') => {
      const known = ports.find((one) => one.name === portName && one.type === type);
      if (known) return known;
      const made: DoublePort = { name: portName, type, recordingId: null };
      ports.push(made);
      return made;
    };
    return this.streams.flatMap(({ source, sinks }) => [
      ...(source.operatorName === name ? [port(source.portName, 'output')] : []),
      ...sinks.filter((sink) => sink.operatorName === name).map((sink) => port(sink.portName, 'input')),
    ]);
  }

  #deploy(operator: DoubleOperator): void {
    const id = this.containerId(this.#nextContainer++);
    operator.container = id;
    operator.status = 'PENDING_DEPLOY';
    const container: DoubleContainer = { id, state: 'ALLOCATED', startedTime: Date.now(), finishedTime: -1 };
    this.containers.push(container);
    this.event('StartContainer', { containerId: id, containerNodeId: '127.0.0.1:1' });
    // As a heartbeat later: one that is killed before never comes to be active.
    setTimeout(() => {
      if (container.state !== 'ALLOCATED' || this.state !== 'RUNNING') return;
      container.state = 'ACTIVE';
      operator.status = 'ACTIVE';
      // As soon as it runs, but for one that was repaired meanwhile.
      setTimeout(() => operator.isLooping && this.killContainer(id), 30).unref();
      this.#writeContainer(id);
      this.files.append(
        `${this.folder}/operators_${this.attempt}.json`,
        `${JSON.stringify({ name: operator.name, id: Number(operator.id), container: id, startTime: Date.now() })}\n`,
      );
      this.event('StartOperator', {
        operatorName: operator.name,
        operatorId: operator.id,
        containerId: id,
      });
    }, 30).unref();
  }

  #writeContainer(id: string): void {
    const line = JSON.stringify({
      id,
      host: '127.0.0.1:1',
      state: 'ACTIVE',
      jvmName: '1@127.0.0.1',
      lastHeartbeat: '-1',
      numOperators: '0',
      operators: null,
      memoryMBAllocated: '320',
      memoryMBFree: '100',
      gcCollectionTime: '0',
      gcCollectionCount: '0',
      ...this.logUrls(id),
      startedTime: String(Date.now()),
      finishedTime: '-1',
    });
    this.files.append(`${this.folder}/containers_${this.attempt}.json`, `${line}\n`);
  }

  /** Set by the cluster, which knows its node manager. */
  logUrls: (containerId: string) => { containerLogsUrl: string; rawContainerLogsUrl: string | null } =
    () => ({
      containerLogsUrl: '',
      rawContainerLogsUrl: null,
    });

  event(type: string, data: Readonly<Record<string, string | null>>): void {
    const id = String(this.nextEvent++);
    const line = JSON.stringify({
      reason: null,
      logLevel: 'INFO',
      groupId: null,
      logFileName: null,
      id,
      logFileOffset: '0',
      ...data,
    });
    this.files.append(`${this.folder}/events/part0.txt`, `${Date.now()}:${type}:${line}\n`);
  }

  /** 64 bits: seconds since 1970, and a counter. */
  get window(): bigint {
    const size = Number(this.attributes['STREAMING_WINDOW_SIZE_MILLIS']) || 500;
    const count = Math.floor((Date.now() - this.startedTime) / size);
    return (BigInt(Math.floor(this.startedTime / 1000)) << 32n) + BigInt(count);
  }

  tuplesOf({ since }: DoubleOperator): number {
    return this.state === 'RUNNING' ? Math.floor(((Date.now() - since) / 1000) * tuplesPerSecond) + 1 : 0;
  }

  /** What is written as time goes by. */
  tick(): void {
    if (this.state !== 'RUNNING') return;
    for (const recording of this.recordings) recording.tick(this.window);
    // The plan goes on to show it for a heartbeat or two.
    for (const { endedAt, id } of this.recordings)
      if (endedAt !== undefined && Date.now() - endedAt > 400) this.#forget(id);
    if (this.attributes['ENABLE_STATS_RECORDING'] === true && Date.now() - this.#stats > 100)
      this.#writeStats();
  }

  #writeStats(): void {
    this.#stats = Date.now();
    const { folder, files } = this;
    const streaming = this.containers.filter(
      ({ id, state }) => state === 'ACTIVE' && id !== this.masterContainer,
    );
    const write = (path: string, meta: string[], lines: string[]) => {
      if (files.read(`${path}/index.txt`) === undefined) files.write(`${path}/index.txt`, '');
      files.write(`${path}/meta.txt`, `${['1.0', ...meta].join('\n')}\n`);
      files.append(`${path}/part0.txt`, lines.map((line) => `${line}\n`).join(''));
    };
    write(
      `${folder}/stats/containers`,
      streaming.map(
        ({ id }, i) =>
          `${i}:${JSON.stringify({ id, host: '127.0.0.1:1', jvmName: '1@x', memoryMBAllocated: '320' })}`,
      ),
      streaming.map(
        (_, i) =>
          `${i}:${this.#stats}:{"numOperators":"1","memoryMBFree":"100","gcCollectionTime":"5","gcCollectionCount":"1"}`,
      ),
    );
    for (const operator of this.operators)
      write(
        `${folder}/stats/operators/${operator.name}`,
        [
          JSON.stringify({
            id: operator.id,
            name: operator.name,
            className: operator.className,
            unifierClass: null,
          }),
        ],
        [
          `${operator.id}:${this.#stats}:${JSON.stringify({
            container: operator.container,
            host: '127.0.0.1:1',
            totalTuplesProcessed: String(this.tuplesOf(operator)),
            totalTuplesEmitted: String(this.tuplesOf(operator)),
            tuplesProcessedPSMA: '20',
            tuplesEmittedPSMA: '20',
            cpuPercentageMA: '0.25',
            latencyMA: '3',
            ports: [],
          })}`,
        ],
      );
  }

  killContainer(containerId: string): void {
    const container = this.containers.find(({ id, state }) => id === containerId && state !== 'KILLED');
    if (!container) return;
    container.state = 'KILLED';
    container.finishedTime = Date.now();
    this.failedContainers++;
    this.event('StopContainer', { containerId, exitStatus: '143', logLevel: 'WARN' });
    for (const operator of this.operators.filter((one) => one.container === containerId)) {
      operator.failureCount++;
      this.#deploy(operator);
    }
  }

  startRecording(
    operator: DoubleOperator,
    port: DoublePort | undefined,
    windows: number | undefined,
  ): string {
    const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 12);
    const id = `${stamp}-${randomBytes(4).toString('base64url')}`;
    // The container refuses a second one in its log; nobody is told.
    const active = this.recordings.filter((one) => one.endedAt === undefined && one.operator === operator);
    if (active.some((one) => !port || !one.port || one.port === port)) return id;
    setTimeout(() => {
      if (port) port.recordingId = id;
      else operator.recordingId = id;
      this.recordings.push(new Recorded(this, operator, port, id, windows));
    }, 40).unref();
    return id;
  }

  stopRecording(operator: DoubleOperator, port: DoublePort | undefined): void {
    const ids = port
      ? [port.recordingId]
      : [operator.recordingId, ...operator.ports.map((one) => one.recordingId)];
    setTimeout(() => {
      for (const recording of this.recordings) if (ids.includes(recording.id)) recording.end();
    }, 40).unref();
  }

  #forget(id: string): void {
    for (const operator of this.operators)
      for (const one of [operator, ...operator.ports]) if (one.recordingId === id) one.recordingId = null;
    this.recordings.splice(0, this.recordings.length, ...this.recordings.filter((one) => one.id !== id));
  }

  end(state: 'FINISHED' | 'FAILED' | 'KILLED', finalStatus: string, diagnostics = ''): void {
    if (this.finalStatus !== 'UNDEFINED') return;
    this.state = state;
    this.finalStatus = finalStatus;
    this.finishedTime = Date.now();
    this.diagnostics = diagnostics;
  }

  get number(): number {
    return this.#number;
  }
}
