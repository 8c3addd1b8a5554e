import { operatorPropertyOf } from '../../forms/launch-properties.js';
import { isRecord, type Property, textOf, type Values } from '../../forms/property-values.js';

/** A property that a launch can give. */
export interface Field extends Property {
  readonly isRequired: boolean;
}

/** What the API tells of an application that is to be launched. */
interface Launchable {
  readonly requiredProperties: readonly string[] | Readonly<Record<string, Described>>;
  readonly defaultProperties: Readonly<Record<string, string | Described>>;
  readonly fileContent?: unknown;
}

interface Described {
  readonly value: string | null;
  readonly description: string | null;
}

interface KnownClass {
  readonly name: string;
  readonly properties: readonly Property[];
  readonly defaultValue?: Values | undefined;
}

interface Operator {
  readonly name: string;
  readonly class: string;
  readonly properties: Values;
}

interface LaunchForm {
  readonly required: readonly Field[];
  /** What the package sets, then every property of its operators. */
  readonly others: readonly Field[];
  /** By name: what holds when nothing is given. */
  readonly defaults: Values;
}

/** Beginnings that mean the same. */
const prefix = /^(?:platform|apex|dt)\./;
const sameKey = (name: string): string => name.replace(prefix, '');

/** The properties of a launch: first those without which there is none; typed where the class of their operator is known. */
export function launchForm(app: Launchable, classes: readonly KnownClass[]): LaunchForm {
  const operators = operatorsIn(app.fileContent);
  const typed = typedBy(operators, classes);
  const required = requiredIn(app).map(([name, text]) => ({ ...typed(name, text), isRequired: true }));
  const given = Object.entries(app.defaultProperties);
  const set = given.map(([name, value]) => ({
    ...typed(name, typeof value === 'string' ? undefined : (value.description ?? undefined)),
    isRequired: false,
  }));
  const named = new Set([...required, ...set].map(({ name }) => sameKey(name)));
  const more = operators.flatMap((operator) =>
    propertiesOf(operator, classes)
      .map(({ name }) => `apex.operator.${operator.name}.prop.${name}`)
      .filter((name) => !named.has(sameKey(name)))
      .map((name) => ({ ...typed(name, undefined), isRequired: false })),
  );
  return {
    required,
    others: [...set, ...more],
    defaults: {
      ...Object.fromEntries(more.flatMap(({ name }) => defaultOf(name, operators, classes))),
      ...Object.fromEntries(
        given.map(([name, value]) => [name, typeof value === 'string' ? value : value.value]),
      ),
    },
  };
}

const requiredIn = ({ requiredProperties }: Launchable): (readonly [string, string | undefined])[] =>
  isList(requiredProperties)
    ? requiredProperties.map((name) => [name, undefined] as const)
    : Object.entries(requiredProperties).map(
        ([name, { description }]) => [name, description ?? undefined] as const,
      );

const isList = (value: Launchable['requiredProperties']): value is readonly string[] => Array.isArray(value);

function operatorsIn(content: unknown): readonly Operator[] {
  const found = isRecord(content) ? content['operators'] : undefined;
  if (!Array.isArray(found)) return [];
  return found
    .filter(isRecord)
    .flatMap(({ name, class: className, properties }) =>
      typeof name === 'string' && typeof className === 'string'
        ? [{ name, class: className, properties: isRecord(properties) ? properties : {} }]
        : [],
    );
}

const classOf = (operator: Operator, classes: readonly KnownClass[]): KnownClass | undefined =>
  classes.find(({ name }) => name === operator.class);

const propertiesOf = (operator: Operator, classes: readonly KnownClass[]): readonly Property[] =>
  (classOf(operator, classes)?.properties ?? []).filter(({ canSet }) => canSet !== false);

function typedBy(operators: readonly Operator[], classes: readonly KnownClass[]) {
  return (name: string, description: string | undefined): Property => {
    const set = operatorPropertyOf(name);
    const operator = operators.find((one) => one.name === set?.operator);
    const property = operator && propertiesOf(operator, classes).find((one) => one.name === set?.property);
    const text = description ?? property?.description;
    return {
      type: 'any',
      ...property,
      name,
      canSet: true,
      ...(text === undefined ? {} : { description: text }),
    };
  };
}

function defaultOf(
  name: string,
  operators: readonly Operator[],
  classes: readonly KnownClass[],
): [string, unknown][] {
  const set = operatorPropertyOf(name);
  const operator = operators.find((one) => one.name === set?.operator);
  if (!set || !operator) return [];
  const value = operator.properties[set.property] ?? classOf(operator, classes)?.defaultValue?.[set.property];
  return value === undefined || value === null ? [] : [[name, value]];
}

/** Of all that the package and its operators know. */
export const namesIn = ({ required, others }: LaunchForm): readonly string[] =>
  [...required, ...others].map(({ name }) => name);

/** What was given besides that, as the cluster may know it. */
export function furtherIn(form: LaunchForm, edits: Values): readonly string[] {
  const known = new Set(namesIn(form));
  return Object.keys(edits).filter((name) => !known.has(name));
}

/** Those that still need a value. */
export const missingIn = ({ required }: LaunchForm, edits: Values): readonly string[] =>
  required.map(({ name }) => name).filter((name) => edits[name] === undefined || textOf(edits[name]) === '');

/** The body of a launch: what was typed, and nothing else. Lists and objects travel as JSON text. */
export const launchBody = (edits: Values): Record<string, string | number | boolean> =>
  Object.fromEntries(
    Object.entries(edits).flatMap(([name, value]) => {
      if (value === undefined) return [];
      const isPlain = typeof value === 'number' || typeof value === 'boolean';
      return [[name, isPlain ? value : typeof value === 'string' ? value : flat(value)]];
    }),
  );

const flat = (value: unknown): string =>
  Array.isArray(value) || isRecord(value) ? JSON.stringify(value) : textOf(value);
