import type { ApplicationDefinition, LogicalPlan } from '../model/logical-plan.js';
import { Locality } from '../model/physical-plan.js';
import type { DefinitionKnowledge } from './knowledge.js';
import { streamName } from './streams.js';

type Operator = ApplicationDefinition['operators'][number];
type Port = LogicalPlan['operators'][number]['ports'][number];

/** One that there is not is none. */
const knownLocality = Locality.nullable().catch(null);

/** The definition as a plan, as far as it is one: ports are those of the class where it is known, else those that are named. */
export function dagOf(
  { operators, streams }: ApplicationDefinition,
  { classOf }: Pick<DefinitionKnowledge, 'classOf'>,
): LogicalPlan {
  const used = usedPorts(streams);
  /** Of classes: many operators of one class have the same ones. */
  const plain = new Map<string, Port[]>();
  const portsOf = (operator: Operator): Port[] => {
    const known = classOf(operator.class);
    const before = known && !operator.ports?.length ? plain.get(operator.class) : undefined;
    if (before) return before;
    const { inputs = [...(used.inputs.get(operator.name) ?? [])].map(named) } = known ?? {};
    const { outputs = [...(used.outputs.get(operator.name) ?? [])].map(named) } = known ?? {};
    const attributes = new Map((operator.ports ?? []).map((port) => [port.name, port.attributes]));
    const names = new Set([...inputs, ...outputs].map(({ name }) => name));
    const others = (operator.ports ?? []).filter(({ name }) => !names.has(name));
    const port =
      (type: Port['type']) =>
      ({ name }: { name: string }): Port => ({ name, type, attributes: { ...attributes.get(name) } });
    const ports = [
      ...inputs.map(port('input')),
      ...outputs.map(port('output')),
      ...others.map(port('input')),
    ];
    if (known && attributes.size === 0) plain.set(operator.class, ports);
    return ports;
  };
  return {
    operators: operators.map((operator) => ({
      ...operator,
      attributes: { ...operator.attributes },
      ports: portsOf(operator),
      properties: { class: operator.class, ...operator.properties },
    })),
    streams: streams.map((stream, index) => ({
      ...stream,
      name: streamName(stream, index),
      locality: knownLocality.parse(stream.locality ?? null),
    })),
  };
}

const named = (name: string) => ({ name });

function usedPorts(streams: ApplicationDefinition['streams']) {
  const inputs = new Map<string, Set<string>>();
  const outputs = new Map<string, Set<string>>();
  const add = (ports: typeof inputs, operatorName: string, portName: string) =>
    ports.set(operatorName, (ports.get(operatorName) ?? new Set()).add(portName));
  for (const { source, sinks } of streams) {
    add(outputs, source.operatorName, source.portName);
    for (const sink of sinks) add(inputs, sink.operatorName, sink.portName);
  }
  return { inputs, outputs };
}
