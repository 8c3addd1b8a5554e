import { BadRequest, type InputIssue } from '../model/errors.js';
import type { JsonApplication } from '../model/logical-plan.js';
import { Locality } from '../model/physical-plan.js';
import { grouped } from '../runtime/grouped.js';
import type { DefinitionKnowledge, KnownClass } from './knowledge.js';
import {
  engineKey,
  hasEnginePrefix,
  keyForms,
  type PropertyTarget,
  propertyTargetOf,
} from './property-keys.js';
import { streamName } from './streams.js';

type Operator = JsonApplication['operators'][number];

interface PropertiesToApply {
  /** What `application.{name}.` in a key has to say. */
  readonly name: string;
  /** Keys that mean nothing to this application are refused. */
  readonly properties: Readonly<Record<string, string>>;
  /** Here they are left alone. */
  readonly defaults?: Readonly<Record<string, string>>;
}

/** Keys for `*` are set in each operator, and a deep one makes an object at each level: so many are set by one launch at most. */
const maxSettings = 10_000;
/** Of what a key names inside a property. */
const maxDepth = 64;

/**
 * The definition with launch properties in it, on a copy. As for the engine, all of them win over the definition, and
 * among them the more special key: one for this application over one for any, one operator over `*`. Values are checked
 * later, with those of the definition. Throws `BadRequest` naming all keys that mean nothing.
 */
export function withProperties(
  application: JsonApplication,
  { name, properties, defaults = {} }: PropertiesToApply,
  knowledge: DefinitionKnowledge,
): JsonApplication {
  const changed = structuredClone(application);
  const refused: InputIssue[] = [];
  const given = new Set(Object.keys(properties).map(engineKey));
  const settings = [
    ...Object.entries(defaults).flatMap(([key, value]) =>
      given.has(engineKey(key)) ? [] : [{ key, value, isGiven: false, target: propertyTargetOf(key) }],
    ),
    ...Object.entries(properties).map(([key, value]) => ({
      key,
      value,
      isGiven: true,
      target: propertyTargetOf(key),
    })),
  ];
  settings.sort((a, b) => special(a.target) - special(b.target));
  const parts = partsOf(changed);
  requireFew(settings, parts);
  for (const { key, value, isGiven, target } of settings) {
    if (target?.application !== undefined && target.application !== name) continue;
    const problem = target ? set(parts, target, value, knowledge) : strange(key);
    if (problem !== undefined && isGiven) refused.push({ path: key, message: problem });
  }
  if (refused.length > 0) throw refusal(refused);
  return changed;
}

/** What a name in a key stands for: `*` for all of the kind. */
interface Parts {
  readonly application: JsonApplication;
  operators(name: string): readonly Operator[];
  streams(name: string): readonly JsonApplication['streams'][number][];
}

function partsOf(application: JsonApplication): Parts {
  const operators = grouped(application.operators, ({ name }) => name);
  const streams = grouped(application.streams, streamName);
  return {
    application,
    operators: (name) => (name === '*' ? application.operators : (operators.get(name) ?? [])),
    streams: (name) => (name === '*' ? application.streams : (streams.get(name) ?? [])),
  };
}

function requireFew(
  settings: readonly { readonly target: PropertyTarget | undefined }[],
  { operators, streams }: Parts,
): void {
  const places = (target: PropertyTarget | undefined): number => {
    // There are few names of attributes, so those that operators take from an application are few.
    if (!target || target.kind === 'application-attribute') return 1;
    if (target.kind === 'stream-locality') return streams(target.stream).length;
    const inside = target.kind === 'operator-property' ? target.path.length - 1 : 1;
    // Deeper ones are refused one by one.
    const levels = Math.min(Math.max(inside, 1), maxDepth);
    return levels * operators(target.operator).length;
  };
  const count = settings.reduce((all, { target }) => all + places(target), 0);
  if (count > maxSettings)
    throw new BadRequest(
      'LAUNCH_PROPERTY_REFUSED',
      `The launch properties would be set in ${count} places of the application, more than ${maxSettings}: name operators and streams instead of *, and set less within objects`,
    );
}

const strange = (key: string): string =>
  hasEnginePrefix(key) ? `is not one of ${keyForms}` : 'does not begin with platform., apex. or dt.';

const told = 5;

function refusal(refused: readonly InputIssue[]): BadRequest {
  const more = refused.length > told ? `; and ${refused.length - told} more` : '';
  const sentences = refused
    .slice(0, told)
    .map(({ path, message }) => `the launch property ${JSON.stringify(path)} ${message}`)
    .join('; ');
  return new BadRequest('LAUNCH_PROPERTY_REFUSED', `${sentences.replace(/^t/, 'T')}${more}`, refused);
}

/** The engine's order: ports by direction first, then the application, the operator, the port. */
function special(target: PropertyTarget | undefined): number {
  if (!target) return 0;
  const ofOne = (name: string) => (name === '*' ? 0 : 1);
  const application = target.application === undefined ? 0 : 4;
  switch (target.kind) {
    case 'application-attribute':
      return application;
    case 'stream-locality':
      return application + ofOne(target.stream);
    case 'port-attribute':
      return (
        (target.direction === 'any' ? 0 : 8) + application + 2 * ofOne(target.operator) + ofOne(target.port)
      );
    default:
      return application + 2 * ofOne(target.operator);
  }
}

/** What is wrong with it, if it is nothing that this application has. */
function set(
  parts: Parts,
  target: PropertyTarget,
  value: string,
  knowledge: DefinitionKnowledge,
): string | undefined {
  if (target.kind === 'application-attribute') {
    return setAttribute(parts.application, target.attribute, value, knowledge);
  }
  if (target.kind === 'stream-locality') return setLocality(parts.streams(target.stream), value);
  const named = parts.operators(target.operator);
  if (named.length === 0) return 'names no operator of the application';
  const wrong = named.map((operator) =>
    setInOperator(operator, target, value, knowledge.classOf(operator.class), knowledge),
  );
  // Of all operators some may have nothing of the kind.
  return wrong.every((problem) => problem !== undefined) ? wrong[0] : undefined;
}

/** One of operators or ports stands for all of them. */
function setAttribute(
  application: JsonApplication,
  attribute: string,
  value: string,
  knowledge: DefinitionKnowledge,
): string | undefined {
  const { attributes } = knowledge;
  const has = (level: 'application' | 'operator' | 'port') =>
    attributes === undefined || Object.hasOwn(attributes[level], attribute);
  if (has('application')) {
    application.attributes ??= {};
    application.attributes[attribute] = value;
    return undefined;
  }
  if (!has('operator') && !has('port')) return noAttribute(attribute, attributes?.application);
  for (const operator of application.operators)
    setOperatorAttribute(operator, attribute, value, knowledge.classOf(operator.class), knowledge);
  return undefined;
}

function setOperatorAttribute(
  operator: Operator,
  attribute: string,
  value: string,
  known: KnownClass | undefined,
  { attributes }: DefinitionKnowledge,
): string | undefined {
  if (attributes === undefined || Object.hasOwn(attributes.operator, attribute)) {
    operator.attributes ??= {};
    operator.attributes[attribute] = value;
    return undefined;
  }
  if (!Object.hasOwn(attributes.port, attribute)) return noAttribute(attribute, attributes.operator);
  for (const port of portsOf(operator, known, 'any')) setPortAttribute(operator, port, attribute, value);
  return undefined;
}

const noAttribute = (attribute: string, known: object = {}): string =>
  `sets no attribute that there is: ${attribute}; there are ${Object.keys(known).join(', ')}`;

function setInOperator(
  operator: Operator,
  target: Extract<PropertyTarget, { operator: string }>,
  value: string,
  known: KnownClass | undefined,
  knowledge: DefinitionKnowledge,
): string | undefined {
  switch (target.kind) {
    case 'operator-attribute':
      return setOperatorAttribute(operator, target.attribute, value, known, knowledge);
    case 'operator-property': {
      const [property = ''] = target.path;
      if (target.path.length > maxDepth)
        return `names something ${target.path.length} levels deep; there are ${maxDepth}`;
      const properties = known?.properties;
      if (properties && !properties.has(property))
        return `sets no property of ${operator.class}; it has ${[...properties].join(', ') || 'none'}`;
      operator.properties ??= {};
      setValue(operator.properties, target.path, value);
      return undefined;
    }
    case 'port-attribute': {
      const { attributes } = knowledge;
      if (attributes && !Object.hasOwn(attributes.port, target.attribute))
        return noAttribute(target.attribute, attributes.port);
      const ports = portsOf(operator, known, target.direction).filter(
        (port) => target.port === '*' || port === target.port,
      );
      // Of a class that nobody knows the port may be there.
      if (!known && target.port !== '*' && ports.length === 0) ports.push(target.port);
      for (const port of ports) setPortAttribute(operator, port, target.attribute, value);
      return ports.length === 0 ? `names no port of ${operator.name}` : undefined;
    }
  }
}

function portsOf(
  { ports = [] }: Operator,
  known: KnownClass | undefined,
  direction: 'input' | 'output' | 'any',
): string[] {
  if (!known) return ports.map(({ name }) => name);
  return [
    ...(direction === 'output' ? [] : known.inputs),
    ...(direction === 'input' ? [] : known.outputs),
  ].map(({ name }) => name);
}

function setPortAttribute(operator: Operator, portName: string, attribute: string, value: string): void {
  const ports = operator.ports ?? [];
  const port = ports.find(({ name }) => name === portName);
  if (port) port.attributes = { ...port.attributes, [attribute]: value };
  else operator.ports = [...ports, { name: portName, attributes: { [attribute]: value } }];
}

function setLocality(streams: ReturnType<Parts['streams']>, value: string): string | undefined {
  const locality = Locality.safeParse(value);
  if (!locality.success) return `must be one of ${Locality.options.join(', ')}`;
  for (const stream of streams) stream.locality = locality.data;
  return streams.length === 0 ? 'names no stream of the application' : undefined;
}

/** Sets a nested member; what is there already and holds none is replaced. */
function setValue(target: Record<string, unknown>, path: readonly string[], value: string): void {
  const [first = '', ...rest] = path;
  if (first === '__proto__') return;
  if (rest.length === 0) {
    target[first] = value;
    return;
  }
  const inner = target[first];
  const nested = isRecord(inner) ? inner : {};
  target[first] = nested;
  setValue(nested, rest, value);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
