import type { OperatorType } from '@headgate/operators';
import {
  type ApplicationDefinition,
  checkDefinition,
  createProblems,
  type DefinitionKnowledge,
  type JsonApplication,
  type Problems,
  readAttributes,
  streamName,
} from 'headgate/driver-kit';
import type { OperatorRegistry } from '../operators/registry.js';
import { type Attributes, applicationAttributes, operatorAttributes, portAttributes } from './attributes.js';
import { readProperties } from './properties.js';

export interface Plan {
  readonly attributes: Attributes;
  readonly operators: readonly PlanOperator[];
  readonly streams: readonly PlanStream[];
}

export interface PlanOperator {
  readonly name: string;
  readonly type: OperatorType;
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

interface PlanEnd {
  readonly operator: string;
  readonly port: string;
}

/**
 * Checks a JSON application against the operator classes. Throws `InvalidInput` that lists all that is wrong, each with
 * its place; `hint` goes behind what is said of a class that is not there.
 */
export function planOf(application: JsonApplication, registry: OperatorRegistry, hint = ''): Plan {
  const problems = createProblems();
  checkDefinition(application, knowledgeOf(registry, hint), problems);
  const attributes = readAttributes(application.attributes, applicationAttributes, 'attributes', problems);
  const operators = operatorsOf(application, registry, problems);
  problems.throwIfAny();
  return { attributes, operators, streams: application.streams.map(planStream) };
}

/** Values of properties and attributes are checked where they are read. */
const knowledgeOf = (registry: OperatorRegistry, hint: string): DefinitionKnowledge => ({
  classOf(className) {
    const type = registry.get(className);
    return (
      type && { inputs: portsOf(type.inputs, false), outputs: portsOf(type.outputs, true), delays: false }
    );
  },
  unknownClass: (className) => `there is no operator class ${JSON.stringify(className)}${hint}`,
});

/** The same with names of properties and attributes: for launch properties, which set them by name. */
export const propertyKnowledge = (registry: OperatorRegistry): DefinitionKnowledge => {
  const knowledge = knowledgeOf(registry, '');
  return {
    ...knowledge,
    classOf(className) {
      const known = knowledge.classOf(className);
      const shape = registry.get(className)?.properties.shape ?? {};
      return known && { ...known, properties: new Set(Object.keys(shape)) };
    },
    attributes: {
      application: applicationAttributes,
      operator: operatorAttributes,
      port: portAttributes,
    },
  };
};

/** What is wrong with a definition that has not the form of an application yet. */
export function problemsOf(definition: ApplicationDefinition, registry: OperatorRegistry): Problems['all'] {
  const problems = createProblems();
  checkDefinition(definition, propertyKnowledge(registry), problems);
  return problems.all;
}

const portsOf = (ports: OperatorType['inputs'], optionalByDefault: boolean) =>
  Object.entries(ports).map(([name, { optional = optionalByDefault }]) => ({ name, optional }));

function operatorsOf(
  application: JsonApplication,
  registry: OperatorRegistry,
  problems: Problems,
): PlanOperator[] {
  return application.operators.flatMap((operator, index) => {
    const type = registry.get(operator.class);
    if (!type) return [];
    const place = `operators.${index}`;
    const ports = (operator.ports ?? []).map(({ name, attributes }, port) => {
      const where = `${place}.ports.${port}.attributes`;
      return [name, readAttributes(attributes, portAttributes, where, problems)] as const;
    });
    return {
      name: operator.name,
      type,
      ports: new Map(ports),
      properties: readProperties(
        type,
        operator.properties ?? {},
        (property) => `${place}.properties${property && `.${property}`}`,
        problems,
      ),
      attributes: readAttributes(operator.attributes, operatorAttributes, `${place}.attributes`, problems),
    };
  });
}

const planStream = (stream: JsonApplication['streams'][number], index: number): PlanStream => ({
  name: streamName(stream, index),
  locality: stream.locality ?? null,
  source: planEnd(stream.source),
  sinks: stream.sinks.map(planEnd),
});

const planEnd = ({ operatorName, portName }: { operatorName: string; portName: string }): PlanEnd => ({
  operator: operatorName,
  port: portName,
});
