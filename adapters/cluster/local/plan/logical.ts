import type { JsonApplication } from '../../../../lib/index.js';
import type { OperatorClass } from '../operator.js';
import type { OperatorRegistry } from '../registry.js';
import {
  type AttributeCatalogue,
  type Attributes,
  applicationAttributes,
  operatorAttributes,
  portAttributes,
} from './attributes.js';
import { cycleOf } from './cycle.js';
import { createProblems, type Problems } from './problems.js';
import { parseProperties } from './properties.js';

export interface Plan {
  readonly attributes: Attributes;
  readonly operators: readonly PlanOperator[];
  readonly streams: readonly PlanStream[];
}

export interface PlanOperator {
  readonly name: string;
  readonly type: OperatorClass;
  /** Replaced as a whole when one changes at run time. */
  properties: Readonly<Record<string, unknown>>;
  readonly attributes: Attributes;
  /** Attributes of ports, by name. */
  readonly ports: ReadonlyMap<string, Attributes>;
}

export interface PlanStream {
  readonly name: string;
  readonly locality: 'THREAD_LOCAL' | 'CONTAINER_LOCAL' | 'NODE_LOCAL' | 'RACK_LOCAL' | null;
  readonly source: PlanEnd;
  readonly sinks: readonly PlanEnd[];
}

export interface PlanEnd {
  readonly operator: string;
  readonly port: string;
}

/** Checks a JSON application against the operator classes. Throws `InvalidInput` that lists all that is wrong, each with its place. */
export function planOf(application: JsonApplication, registry: OperatorRegistry): Plan {
  const problems = createProblems();
  if (application.operators.length === 0)
    problems.add('operators', 'an application needs at least one operator');
  const attributes = checked(application.attributes, applicationAttributes, 'attributes', problems);
  const operators = operatorsOf(application, registry, problems);
  const byName = new Map(operators.map((operator) => [operator.name, operator]));
  const streams = streamsOf(application, byName, problems);
  const cycle = cycleOf(
    operators.map(({ name }) => name),
    streams.flatMap(({ source, sinks }) => sinks.map((sink) => [source.operator, sink.operator] as const)),
  );
  if (cycle) problems.add('streams', `the operators run in a circle: ${cycle.join(' -> ')}`);
  checkInputs(application, operators, streams, problems);
  problems.throwIfAny();
  return { attributes, operators, streams };
}

function operatorsOf(
  application: JsonApplication,
  registry: OperatorRegistry,
  problems: Problems,
): PlanOperator[] {
  const names = new Set<string>();
  return application.operators.flatMap((operator, index) => {
    const place = `operators.${index}`;
    if (names.has(operator.name))
      problems.add(`${place}.name`, `there is another operator ${JSON.stringify(operator.name)}`);
    names.add(operator.name);
    const type = registry.get(operator.class);
    if (!type) {
      problems.add(`${place}.class`, `there is no operator class ${JSON.stringify(operator.class)}`);
      return [];
    }
    const ports = new Map<string, Attributes>();
    for (const [portIndex, port] of (operator.ports ?? []).entries()) {
      const where = `${place}.ports.${portIndex}`;
      if (!Object.hasOwn(type.inputs, port.name) && !Object.hasOwn(type.outputs, port.name))
        problems.add(`${where}.name`, `${type.className} has no port ${JSON.stringify(port.name)}`);
      ports.set(port.name, checked(port.attributes, portAttributes, `${where}.attributes`, problems));
    }
    return [
      {
        name: operator.name,
        type,
        ports,
        properties: parseProperties(
          type,
          operator.properties ?? {},
          (property) => `${place}.properties${property && `.${property}`}`,
          problems,
        ),
        attributes: checked(operator.attributes, operatorAttributes, `${place}.attributes`, problems),
      },
    ];
  });
}

function streamsOf(
  application: JsonApplication,
  operators: ReadonlyMap<string, PlanOperator>,
  problems: Problems,
): PlanStream[] {
  const names = new Set<string>();
  const sources = new Map<string, string>();
  const sinks = new Map<string, string>();
  const claim = (taken: Map<string, string>, end: PlanEnd, stream: string, path: string, kind: string) => {
    const key = `${end.operator}.${end.port}`;
    const other = taken.get(key);
    if (other !== undefined)
      problems.add(path, `the ${kind} port ${key} already belongs to the stream ${JSON.stringify(other)}`);
    taken.set(key, stream);
  };
  return application.streams.map((stream, index) => {
    const place = `streams.${index}`;
    const name = stream.name ?? `stream-${index}`;
    if (names.has(name)) problems.add(`${place}.name`, `there is another stream ${JSON.stringify(name)}`);
    names.add(name);
    const end = (
      given: { operatorName: string; portName: string },
      kind: 'inputs' | 'outputs',
      path: string,
    ): PlanEnd => {
      const operator = operators.get(given.operatorName);
      if (!operator && !application.operators.some((known) => known.name === given.operatorName))
        problems.add(`${path}.operatorName`, `there is no operator ${JSON.stringify(given.operatorName)}`);
      if (operator && !Object.hasOwn(operator.type[kind], given.portName))
        problems.add(
          `${path}.portName`,
          `${operator.type.className} has no ${kind === 'inputs' ? 'input' : 'output'} port ${JSON.stringify(given.portName)}; it has ${Object.keys(operator.type[kind]).join(', ') || 'none'}`,
        );
      return { operator: given.operatorName, port: given.portName };
    };
    const source = end(stream.source, 'outputs', `${place}.source`);
    claim(sources, source, name, `${place}.source`, 'output');
    return {
      name,
      locality: stream.locality ?? null,
      source,
      sinks: stream.sinks.map((given, sinkIndex) => {
        const sink = end(given, 'inputs', `${place}.sinks.${sinkIndex}`);
        claim(sinks, sink, name, `${place}.sinks.${sinkIndex}`, 'input');
        return sink;
      }),
    };
  });
}

function checkInputs(
  application: JsonApplication,
  operators: readonly PlanOperator[],
  streams: readonly PlanStream[],
  problems: Problems,
): void {
  const connected = new Set(
    streams.flatMap(({ source, sinks }) =>
      [source, ...sinks].map(({ operator, port }) => `${operator}.${port}`),
    ),
  );
  for (const operator of operators) {
    const place = `operators.${application.operators.findIndex(({ name }) => name === operator.name)}`;
    const inputs = Object.entries(operator.type.inputs);
    const isConnected = (port: string) => connected.has(`${operator.name}.${port}`);
    for (const [port, { optional = false }] of inputs)
      if (!optional && !isConnected(port))
        problems.add(place, `the input port ${JSON.stringify(port)} of ${operator.name} is not connected`);
    if (inputs.length > 0 && !inputs.some(([port]) => isConnected(port)))
      problems.add(place, `no input port of ${operator.name} is connected`);
    for (const [port, { optional = true }] of Object.entries(operator.type.outputs))
      if (!optional && !isConnected(port))
        problems.add(place, `the output port ${JSON.stringify(port)} of ${operator.name} is not connected`);
  }
}

function checked(
  values: Readonly<Record<string, unknown>> | undefined,
  catalogue: AttributeCatalogue,
  place: string,
  problems: Problems,
): Attributes {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values ?? {})) {
    const schema = Object.hasOwn(catalogue, name) ? catalogue[name] : undefined;
    if (!schema) {
      problems.add(
        `${place}.${name}`,
        `the local engine has no such attribute here; it has ${Object.keys(catalogue).join(', ')}`,
      );
      continue;
    }
    const parsed = schema.safeParse(value);
    if (parsed.success) result[name] = parsed.data;
    else problems.add(`${place}.${name}`, parsed.error.issues[0]?.message ?? 'is not valid');
  }
  return result;
}
