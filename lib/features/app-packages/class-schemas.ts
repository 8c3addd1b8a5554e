import type { JarContents, ValueType } from '../../model/jar-contents.js';
import type { PropertyDescription, TypeDescription } from '../../model/logical-plan.js';

/** A JSON schema (draft 2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

const dialect = 'https://json-schema.org/draft/2020-12/schema';

const ofPrimitives: Readonly<Record<string, JsonSchema>> = {
  boolean: { type: 'boolean' },
  byte: { type: 'integer', minimum: -128, maximum: 127 },
  short: { type: 'integer', minimum: -32_768, maximum: 32_767 },
  int: { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  // Beyond what a JSON number holds exactly, text does.
  long: { type: ['integer', 'string'], pattern: '^-?[0-9]+$' },
  float: { type: 'number' },
  double: { type: 'number' },
  char: { type: 'string', minLength: 1, maxLength: 1 },
  'java.lang.Boolean': { type: 'boolean' },
  'java.lang.Character': { type: 'string', minLength: 1, maxLength: 1 },
  'java.lang.String': { type: 'string' },
};

/** The schemas of a package's value types. They name each other by their `$id`s. */
export const classSchemas = ({ types }: JarContents): JsonSchema[] =>
  Object.entries(types).map(([name, type]) => ({ $schema: dialect, ...typeSchema(name, type, types) }));

/** What a value of that class is in JSON. The classes that it uses come along in `$defs`, so it is whole in itself. */
export function classSchema(name: string, types: JarContents['types']): JsonSchema | undefined {
  const [own, ...used] = [...withUsed(name, types)].map(([other, type]) => typeSchema(other, type, types));
  if (!own) return undefined;
  const schema = { $schema: dialect, ...own };
  return used.length === 0
    ? schema
    : { ...schema, $defs: Object.fromEntries(used.map((other) => [other.title, other])) };
}

/** A type and everything that its properties, and theirs, have. */
function withUsed(name: string, types: JarContents['types']): ReadonlyMap<string, ValueType> {
  const found = new Map<string, ValueType>();
  const add = (type: string) => {
    const known = Object.hasOwn(types, type) ? types[type] : undefined;
    if (known && !found.has(type)) found.set(type, known);
  };
  add(name);
  // A map is walked in the order of adding, and what is added meanwhile is walked too.
  for (const [, { properties }] of found) {
    for (const type of properties.flatMap(namesIn)) add(type);
  }
  return found;
}

const namesIn = ({ type = '', typeArgs = [], itemType }: TypeDescription): string[] => [
  type,
  ...typeArgs.flatMap(namesIn),
  ...(itemType ? namesIn(itemType) : []),
];

const idOf = (name: string): string => encodeURI(`class:${name}`);

function typeSchema(name: string, type: ValueType, types: JarContents['types']) {
  const about = { $id: idOf(name), title: name };
  if (type.kind === 'enum') return { ...about, type: 'string', enum: type.values ?? [] };
  const properties = type.properties.map((property) => [property.name, propertySchema(property, types)]);
  // What implements an interface may have more.
  return { ...about, type: 'object', properties: Object.fromEntries(properties) };
}

function propertySchema(property: PropertyDescription, types: JarContents['types']): JsonSchema {
  const { canGet, canSet, description } = property;
  return {
    ...valueSchema(property, types),
    ...(description === undefined ? {} : { description }),
    ...(canSet ? {} : { readOnly: true }),
    ...(canGet ? {} : { writeOnly: true }),
  };
}

function valueSchema(description: TypeDescription, types: JarContents['types']): JsonSchema {
  const { type = '', uiType, typeArgs = [], itemType } = description;
  const of = (inner: TypeDescription | undefined) => (inner ? valueSchema(inner, types) : {});
  const primitive = Object.hasOwn(ofPrimitives, type) ? ofPrimitives[type] : undefined;
  if (primitive) return primitive;
  if (type === '[B') return { type: 'string', contentEncoding: 'base64' };
  if (uiType === 'List') return { type: 'array', items: of(itemType ?? typeArgs[0]) };
  if (uiType === 'Map') return { type: 'object', additionalProperties: of(typeArgs[1]) };
  return Object.hasOwn(types, type) ? { $ref: idOf(type) } : {};
}
