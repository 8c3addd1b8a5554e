import type { ApplicationDefinition, LogicalPlan } from '../../logical-plan/schema.js';
import { Locality } from '../../physical-plan/schema.js';
import type { DefinitionKnowledge } from './knowledge.js';
import { streamName } from './streams.js';

type Operator = ApplicationDefinition['operators'][number];
type Port = LogicalPlan['operators'][number]['ports'][number];

/** The definition as a plan, as far as it is one: ports are those of the class where it is known, else those that are named. */
export function dagOf(
  { operators, streams }: ApplicationDefinition,
  { classOf }: Pick<DefinitionKnowledge, 'classOf'>,
): LogicalPlan {
  const used = usedPorts(streams);
  return {
    operators: operators.map((operator) => {
      const known = classOf(operator.class);
      const { inputs = [...(used.inputs.get(operator.name) ?? [])].map(named) } = known ?? {};
      const { outputs = [...(used.outputs.get(operator.name) ?? [])].map(named) } = known ?? {};
      const names = [...inputs, ...outputs].map(({ name }) => name);
      const others = (operator.ports ?? []).filter(({ name }) => !names.includes(name));
      const port =
        (type: Port['type']) =>
        ({ name }: { name: string }): Port => ({ name, type, attributes: attributesOf(operator, name) });
      return {
        ...operator,
        attributes: { ...operator.attributes },
        ports: [...inputs.map(port('input')), ...outputs.map(port('output')), ...others.map(port('input'))],
        properties: { class: operator.class, ...operator.properties },
      };
    }),
    streams: streams.map((stream, index) => ({
      ...stream,
      name: streamName(stream, index),
      locality: Locality.nullable()
        .catch(null)
        .parse(stream.locality ?? null),
    })),
  };
}

const named = (name: string) => ({ name });

const attributesOf = ({ ports = [] }: Operator, portName: string): Port['attributes'] => ({
  ...ports.find(({ name }) => name === portName)?.attributes,
});

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
