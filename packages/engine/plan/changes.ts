import type { OperatorType } from '@headgate/operators';
import { type ChangeRequest, cycleOf, InvalidInput, type JsonApplication } from 'headgate/driver-kit';
import type { OperatorRegistry } from '../operators/registry.js';
import { readProperty } from './properties.js';

type ApplicationOperator = JsonApplication['operators'][number];
type ApplicationStream = JsonApplication['streams'][number] & { name: string };
type End = ApplicationStream['source'];

export interface ChangedApplication {
  readonly application: JsonApplication;
  /** Operators that the requests made: not those that had the same name before. */
  readonly created: ReadonlySet<string>;
  /** Names of the properties that the requests gave to each operator. */
  readonly given: ReadonlyMap<string, ReadonlySet<string>>;
  /** Number of the request that is to blame for a problem at this place of the application; `undefined`: none is. */
  requestOf(place: string): number | undefined;
}

/**
 * The application after all requests, one after the other; the one given stays as it is. Whether it still makes sense
 * as a whole is for the checks of a launch. Throws `InvalidInput` that names the first request that can't be carried
 * out, and why.
 */
export function withChanges(
  application: JsonApplication,
  requests: readonly ChangeRequest[],
  registry: OperatorRegistry,
): ChangedApplication {
  const draft = new Draft(application, registry);
  for (const [index, request] of requests.entries()) draft.apply(request, index);
  return draft.finished();
}

const portOf = ({ operatorName, portName }: End): string => `${operatorName}.${portName}`;

/** A copy of an application, changed request by request, that remembers which request did what. */
class Draft {
  readonly #application: JsonApplication;
  readonly #registry: OperatorRegistry;
  readonly #operators: Map<string, ApplicationOperator>;
  readonly #streams: Map<string, ApplicationStream>;
  /** The stream of each port that is connected. */
  readonly #sources = new Map<string, string>();
  readonly #sinks = new Map<string, string>();
  /** Operator to the request that made it, to those that gave it properties, to the last that took a stream from it. */
  readonly #made = new Map<string, number>();
  readonly #given = new Map<string, Map<string, number>>();
  readonly #cut = new Map<string, number>();
  /** Input port to the request that connected it. */
  readonly #connected = new Map<string, number>();
  #index = 0;

  constructor(application: JsonApplication, registry: OperatorRegistry) {
    this.#application = application;
    this.#registry = registry;
    this.#operators = new Map(application.operators.map((operator) => [operator.name, operator]));
    this.#streams = new Map();
    for (const [index, stream] of application.streams.entries()) {
      // A name that comes from the position would be another one's as soon as a stream before it is removed.
      const name = stream.name ?? `stream-${index}`;
      this.#streams.set(name, { ...stream, name });
      this.#sources.set(portOf(stream.source), name);
      for (const sink of stream.sinks) this.#sinks.set(portOf(sink), name);
    }
  }

  apply(request: ChangeRequest, index: number): void {
    this.#index = index;
    switch (request.requestType) {
      case 'CreateOperatorRequest':
        this.#createOperator(request.operatorName, request.operatorFQCN);
        break;
      case 'RemoveOperatorRequest':
        this.#removeOperator(request.operatorName);
        break;
      case 'CreateStreamRequest':
        this.#createStream(request);
        break;
      case 'AddStreamSinkRequest':
        this.#addSink(request);
        break;
      case 'RemoveStreamRequest':
        this.#removeStream(request.streamName);
        break;
      case 'SetOperatorPropertyRequest':
        this.#setProperty(request);
        break;
    }
  }

  finished(): ChangedApplication {
    const operators = [...this.#operators.values()];
    const streams = [...this.#streams.values()];
    const cycle = this.#cycleRequest(streams);
    return {
      application: { ...this.#application, operators, streams },
      created: new Set(this.#made.keys()),
      given: new Map([...this.#given].map(([name, properties]) => [name, new Set(properties.keys())])),
      requestOf: (place) => {
        const [list, number, member, property = ''] = place.split('.');
        if (list === 'streams') return cycle ?? this.#index;
        if (list !== 'operators') return undefined;
        const name = number === undefined ? undefined : operators[Number(number)]?.name;
        if (name === undefined) return this.#index;
        if (member === 'properties') return this.#given.get(name)?.get(property) ?? this.#made.get(name);
        return this.#cut.get(name) ?? this.#made.get(name);
      },
    };
  }

  #createOperator(operatorName: string, operatorFQCN: string): void {
    if (this.#operators.has(operatorName))
      this.#refuse('operatorName', `there is already an operator ${JSON.stringify(operatorName)}`);
    if (!this.#registry.has(operatorFQCN))
      this.#refuse('operatorFQCN', `there is no operator class ${JSON.stringify(operatorFQCN)}`);
    this.#operators.set(operatorName, { name: operatorName, class: operatorFQCN });
    this.#given.delete(operatorName);
    this.#cut.delete(operatorName);
    this.#made.set(operatorName, this.#index);
  }

  /** Its own streams go with it; those that it reads go on without it, as long as anybody else reads them. */
  #removeOperator(operatorName: string): void {
    const { type } = this.#known(operatorName, 'operatorName');
    for (const portName of Object.keys(type.outputs)) {
      const stream = this.#sources.get(portOf({ operatorName, portName }));
      if (stream !== undefined) this.#removeStream(stream);
    }
    for (const portName of Object.keys(type.inputs)) this.#removeSink({ operatorName, portName });
    this.#operators.delete(operatorName);
    this.#made.delete(operatorName);
  }

  #createStream(request: Extract<ChangeRequest, { requestType: 'CreateStreamRequest' }>): void {
    const { streamName: name } = request;
    const source = { operatorName: request.sourceOperatorName, portName: request.sourceOperatorPortName };
    if (this.#streams.has(name))
      this.#refuse('streamName', `there is already a stream ${JSON.stringify(name)}`);
    const { type } = this.#known(source.operatorName, 'sourceOperatorName');
    this.#checkPort('sourceOperatorPortName', type, 'outputs', source.portName);
    this.#checkFree('sourceOperatorPortName', this.#sources, source);
    const sink = this.#sinkOf(request);
    this.#streams.set(name, { name, source, sinks: [sink] });
    this.#sources.set(portOf(source), name);
    this.#connect(sink, name);
  }

  #addSink(request: Extract<ChangeRequest, { requestType: 'AddStreamSinkRequest' }>): void {
    const stream = this.#stream(request.streamName);
    const sink = this.#sinkOf(request);
    this.#streams.set(stream.name, { ...stream, sinks: [...stream.sinks, sink] });
    this.#connect(sink, stream.name);
  }

  #removeStream(streamName: string): void {
    const { source, sinks } = this.#stream(streamName);
    this.#streams.delete(streamName);
    this.#sources.delete(portOf(source));
    for (const sink of sinks) this.#sinks.delete(portOf(sink));
    for (const { operatorName } of [source, ...sinks]) this.#cut.set(operatorName, this.#index);
  }

  #removeSink(end: End): void {
    const stream = this.#streams.get(this.#sinks.get(portOf(end)) ?? '');
    if (!stream) return;
    const sinks = stream.sinks.filter((sink) => portOf(sink) !== portOf(end));
    if (sinks.length === 0) {
      this.#removeStream(stream.name);
      return;
    }
    this.#streams.set(stream.name, { ...stream, sinks });
    this.#sinks.delete(portOf(end));
  }

  #setProperty(request: Extract<ChangeRequest, { requestType: 'SetOperatorPropertyRequest' }>): void {
    const { operatorName, propertyName, propertyValue } = request;
    const { operator, type } = this.#known(operatorName, 'operatorName');
    const read = readProperty(type, propertyName, propertyValue);
    if ('problem' in read) this.#refuse(read.at, read.problem);
    const properties = { ...operator.properties, [propertyName]: read.value };
    this.#operators.set(operatorName, { ...operator, properties });
    const given = this.#given.get(operatorName) ?? new Map<string, number>();
    this.#given.set(operatorName, given.set(propertyName, this.#index));
  }

  #sinkOf(request: { sinkOperatorName: string; sinkOperatorPortName: string }): End {
    const sink = { operatorName: request.sinkOperatorName, portName: request.sinkOperatorPortName };
    const { type } = this.#known(sink.operatorName, 'sinkOperatorName');
    this.#checkPort('sinkOperatorPortName', type, 'inputs', sink.portName);
    this.#checkFree('sinkOperatorPortName', this.#sinks, sink);
    return sink;
  }

  #connect(sink: End, stream: string): void {
    this.#sinks.set(portOf(sink), stream);
    this.#connected.set(portOf(sink), this.#index);
  }

  #known(name: string, field: string): { operator: ApplicationOperator; type: OperatorType } {
    const operator = this.#operators.get(name);
    const type = operator && this.#registry.get(operator.class);
    if (!operator || !type) return this.#refuse(field, `there is no operator ${JSON.stringify(name)}`);
    return { operator, type };
  }

  #stream(name: string): ApplicationStream {
    return (
      this.#streams.get(name) ??
      this.#refuse('streamName', `there is no stream ${JSON.stringify(name)} in the plan`)
    );
  }

  #checkPort(field: string, type: OperatorType, kind: 'inputs' | 'outputs', port: string): void {
    if (Object.hasOwn(type[kind], port)) return;
    const what = kind === 'inputs' ? 'input' : 'output';
    const has = Object.keys(type[kind]).join(', ') || 'none';
    this.#refuse(field, `${type.className} has no ${what} port ${JSON.stringify(port)}; it has ${has}`);
  }

  #checkFree(field: string, taken: ReadonlyMap<string, string>, end: End): void {
    const stream = taken.get(portOf(end));
    if (stream !== undefined)
      this.#refuse(
        field,
        `the port ${portOf(end)} already belongs to the stream ${JSON.stringify(stream)}; ${
          taken === this.#sources ? 'add a sink to that one' : 'remove that one first'
        }`,
      );
  }

  /** The request that connected the last missing piece of a circle, when there is one now. */
  #cycleRequest(streams: readonly ApplicationStream[]): number | undefined {
    const arrows = streams.flatMap(({ source, sinks }) =>
      sinks.map((sink) => [source.operatorName, sink.operatorName, portOf(sink)] as const),
    );
    const circle = cycleOf(
      [...this.#operators.keys()],
      arrows.map(([from, to]) => [from, to] as const),
    );
    if (!circle) return undefined;
    const steps = new Set(circle.slice(1).map((to, index) => `${circle[index]}\n${to}`));
    const requests = arrows.flatMap(([from, to, port]) =>
      steps.has(`${from}\n${to}`) ? (this.#connected.get(port) ?? []) : [],
    );
    return Math.max(...requests);
  }

  #refuse(field: string, message: string): never {
    throw new InvalidInput([{ path: `requests.${this.#index}.${field}`, message }]);
  }
}
