import { BadRequest, type InputIssue } from '../../../core/errors.js';
import type { JsonApplication } from '../../logical-plan/schema.js';
import { Locality } from '../../physical-plan/schema.js';
import type { DefinitionKnowledge, KnownClass } from '../json-application/knowledge.js';
import { streamName } from '../json-application/streams.js';
import { engineKey, hasEnginePrefix, keyForms, type PropertyTarget, targetOf } from './keys.js';

type Operator = JsonApplication['operators'][number];

export interface PropertiesToApply {
  /** What `application.{name}.` in a key has to say. */
  readonly name: string;
  /** Keys that mean nothing to this application are refused. */
  readonly properties: Readonly<Record<string, string>>;
  /** Here they are left alone. */
  readonly defaults?: Readonly<Record<string, string>>;
}

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
      given.has(engineKey(key)) ? [] : [{ key, value, isGiven: false, target: targetOf(key) }],
    ),
    ...Object.entries(properties).map(([key, value]) => ({
      key,
      value,
      isGiven: true,
      target: targetOf(key),
    })),
  ];
  settings.sort((a, b) => special(a.target) - special(b.target));
  for (const { key, value, isGiven, target } of settings) {
    if (target?.application !== undefined && target.application !== name) continue;
    const problem = target ? set(changed, target, value, knowledge) : strange(key);
    if (problem !== undefined && isGiven) refused.push({ path: key, message: problem });
  }
  if (refused.length > 0) throw refusal(refused);
  return changed;
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
  return new BadRequest(`${sentences.replace(/^t/, 'T')}${more}`, refused);
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
  application: JsonApplication,
  target: PropertyTarget,
  value: string,
  knowledge: DefinitionKnowledge,
): string | undefined {
  if (target.kind === 'application-attribute') {
    return setAttribute(application, target.attribute, value, knowledge);
  }
  if (target.kind === 'stream-locality') return setLocality(application, target.stream, value);
  const { operators } = application;
  const named = operators.filter(({ name }) => target.operator === '*' || name === target.operator);
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
    application.attributes = { ...application.attributes, [attribute]: value };
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
    operator.attributes = { ...operator.attributes, [attribute]: value };
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
      const properties = known?.properties;
      if (properties && !properties.has(property))
        return `sets no property of ${operator.class}; it has ${[...properties].join(', ') || 'none'}`;
      operator.properties = withValue({ ...operator.properties }, target.path, value);
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

function setLocality(application: JsonApplication, name: string, value: string): string | undefined {
  const locality = Locality.safeParse(value);
  if (!locality.success) return `must be one of ${Locality.options.join(', ')}`;
  const streams = application.streams.filter(
    (stream, index) => name === '*' || streamName(stream, index) === name,
  );
  for (const stream of streams) stream.locality = locality.data;
  return streams.length === 0 ? 'names no stream of the application' : undefined;
}

/** Sets a nested member, on copies. */
function withValue(
  target: Record<string, unknown>,
  path: readonly string[],
  value: string,
): Record<string, unknown> {
  const [first = '', ...rest] = path;
  if (first === '__proto__') return target;
  if (rest.length === 0) return { ...target, [first]: value };
  const inner = target[first];
  const nested = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? { ...inner } : {};
  return { ...target, [first]: withValue(nested, rest, value) };
}
