import type { OperatorType, Port } from '@headgate/operators';
import type { OperatorClassDesc, PropertyDescription } from 'headgate/driver-kit';
import * as z from 'zod';

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
}

/** What consoles show of an operator class: its ports, and its properties with their descriptions. */
export const describeClass = (type: OperatorType): OperatorClassDesc =>
  describeBy(propertySchema(type), type);

export const propertySchema = (type: OperatorType): JsonSchema =>
  z.toJSONSchema(type.properties, { io: 'input', unrepresentable: 'any' }) as JsonSchema;

/** The same by the schema of its properties. */
export const describeBy = (
  schema: JsonSchema,
  { className, inputs, outputs }: Pick<OperatorType, 'className' | 'inputs' | 'outputs'>,
): OperatorClassDesc => ({
  category: categoryOf(className),
  inputPorts: portsOf(inputs, false),
  outputPorts: portsOf(outputs, true),
  properties: propertiesOf(schema),
});

/** The part of the name before the last: `io` of `headgate.io.FileLines`. */
const categoryOf = (className: string) => className.split('.').at(-2) ?? '';

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
    ...valuesOf(member),
    ...(member.items ? { itemType: { type: typeOf(member.items) } } : {}),
    ...(member.properties ? { properties: propertiesOf(member) } : {}),
  }));

/** Of an enumeration of texts; others are left to whoever knows their types. */
const valuesOf = ({ enum: values }: JsonSchema): Pick<PropertyDescription, 'values'> =>
  values?.every((value) => typeof value === 'string') ? { values: [...values] } : {};

function typeOf(schema: JsonSchema): string {
  if (schema.enum) return 'enum';
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' | ');
  if (Array.isArray(schema.type)) return schema.type.join(' | ');
  return typeof schema.type === 'string' ? schema.type : 'any';
}
