import { z } from 'zod';
import type { OperatorClassDesc, PropertyDescription } from '../../../../lib/index.js';
import type { OperatorType, Port } from '../operator.js';

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
}

/** What consoles show of an operator class: its ports, and its properties with their descriptions. */
export function describeClass(type: OperatorType): OperatorClassDesc {
  const schema = z.toJSONSchema(type.properties, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  return {
    inputPorts: portsOf(type.inputs, false),
    outputPorts: portsOf(type.outputs, true),
    properties: propertiesOf(schema),
  };
}

const portsOf = (ports: Readonly<Record<string, Port>>, optionalByDefault: boolean) =>
  Object.entries(ports).map(([name, { optional = optionalByDefault, type }]) => ({
    name,
    optional,
    ...(type === undefined ? {} : { type }),
  }));

const propertiesOf = (schema: JsonSchema): PropertyDescription[] =>
  Object.entries(schema.properties ?? {}).map(([name, member]) => ({
    name,
    canGet: true,
    canSet: true,
    type: typeOf(member),
    ...(member.description === undefined ? {} : { description: member.description }),
    ...(member.properties ? { properties: propertiesOf(member) } : {}),
  }));

function typeOf(schema: JsonSchema): string {
  if (schema.enum) return 'enum';
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' | ');
  if (Array.isArray(schema.type)) return schema.type.join(' | ');
  return typeof schema.type === 'string' ? schema.type : 'any';
}
