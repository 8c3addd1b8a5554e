import type { ApplicationDefinition } from '../model/logical-plan.js';
import { readAttributes } from './attributes.js';
import { cycleOf } from './cycle.js';
import type { DefinitionKnowledge, KnownClass } from './knowledge.js';
import type { Problems } from './problems.js';
import { checkStreams } from './streams.js';

/**
 * Finds all that would keep an application from being launched, by what is known of the classes it names: one rule for
 * definitions in packages, for launches and for changes of a plan. Linear in the size of the definition.
 */
export function checkDefinition(
  definition: ApplicationDefinition,
  knowledge: DefinitionKnowledge,
  problems: Problems,
): void {
  const { operators, streams } = definition;
  if (operators.length === 0) problems.add('operators', 'an application needs at least one operator');
  if (knowledge.attributes)
    readAttributes(definition.attributes, knowledge.attributes.application, 'attributes', problems);
  const classes = new Map<string, KnownClass | undefined>();
  for (const [index, operator] of operators.entries()) {
    const place = `operators.${index}`;
    checkName(operator.name, `${place}.name`, problems);
    if (classes.has(operator.name))
      problems.add(`${place}.name`, `there is another operator ${JSON.stringify(operator.name)}`);
    const known = knowledge.classOf(operator.class);
    classes.set(operator.name, known);
    checkOperator(operator, known, knowledge, place, problems);
  }
  checkStreams(streams, classes, checkName, problems);
  checkCircles(definition, classes, problems);
  checkConnections(definition, knowledge, problems);
}

const maxNameLength = 128;

/** The engine takes keys apart at their dots (`apex.operator.{name}.prop.{property}`). */
function checkName(name: string, path: string, problems: Problems): void {
  if (name === '') problems.add(path, 'a name is missing');
  else if (name.includes('.')) problems.add(path, 'names hold no dots');
  else if (name.length > maxNameLength) problems.add(path, `a name has ${maxNameLength} characters at most`);
}

function checkOperator(
  operator: ApplicationDefinition['operators'][number],
  known: KnownClass | undefined,
  knowledge: DefinitionKnowledge,
  place: string,
  problems: Problems,
): void {
  const className = operator.class;
  const unknown = known ? undefined : knowledge.unknownClass(className);
  if (className === '') problems.add(`${place}.class`, 'a class is missing');
  else if (unknown !== undefined) problems.add(`${place}.class`, unknown);
  if (knowledge.attributes)
    readAttributes(operator.attributes, knowledge.attributes.operator, `${place}.attributes`, problems);
  for (const [index, port] of (operator.ports ?? []).entries()) {
    const where = `${place}.ports.${index}`;
    if (known && ![...known.inputs, ...known.outputs].some(({ name }) => name === port.name))
      problems.add(`${where}.name`, `${className} has no port ${JSON.stringify(port.name)}`);
    else if (!known) checkName(port.name, `${where}.name`, problems);
    if (knowledge.attributes)
      readAttributes(port.attributes, knowledge.attributes.port, `${where}.attributes`, problems);
  }
  const { properties } = known ?? {};
  if (!properties) return;
  for (const key of Object.keys(operator.properties ?? {}))
    if (!properties.has(firstOf(key)) && key !== className && !markers.has(key))
      problems.add(
        `${place}.properties.${key}`,
        () =>
          `${className} has no property ${JSON.stringify(key)}; it has ${[...properties].join(', ') || 'none'}`,
      );
}

/** `connection.host`, `limits(cpu)` and `hosts[0]` reach into a property. */
const firstOf = (key: string): string => /^[^.([]*/.exec(key)?.[0] ?? key;

/** Written among properties by consoles and by the engine; every operator of the engine has a name. */
const markers: ReadonlySet<string> = new Set(['class', '@class', 'name']);

/** A delay passes tuples on one window later, so a circle through it is none; of unknown classes nobody can tell. */
function checkCircles(
  { operators, streams }: ApplicationDefinition,
  classes: ReadonlyMap<string, KnownClass | undefined>,
  problems: Problems,
): void {
  const arrows = streams.flatMap(({ source, sinks }, index) => {
    const known = classes.get(source.operatorName);
    return known && !known.delays ? sinks.map((sink) => ({ index, from: source, to: sink })) : [];
  });
  const circle = cycleOf(
    operators.map(({ name }) => name),
    arrows.map(({ from, to }) => [from.operatorName, to.operatorName] as const),
  );
  if (!circle) return;
  const [last, first] = circle.slice(-2);
  const closing = arrows.find(({ from, to }) => from.operatorName === last && to.operatorName === first);
  problems.add(`streams.${closing?.index ?? 0}`, `the operators run in a circle: ${circle.join(' -> ')}`);
}

function checkConnections(
  { operators, streams }: ApplicationDefinition,
  knowledge: DefinitionKnowledge,
  problems: Problems,
): void {
  const connected = new Set(
    streams.flatMap(({ source, sinks }) =>
      [source, ...sinks].map(({ operatorName, portName }) => `${operatorName}.${portName}`),
    ),
  );
  for (const [index, operator] of operators.entries()) {
    const known = knowledge.classOf(operator.class);
    if (!known) continue;
    const place = `operators.${index}`;
    const isOpen = ({ name }: { name: string }) => !connected.has(`${operator.name}.${name}`);
    const missing = (kind: string) => (port: { name: string; optional: boolean }) => {
      if (!port.optional && isOpen(port))
        problems.add(
          place,
          `the ${kind} port ${JSON.stringify(port.name)} of ${operator.name} is not connected`,
        );
    };
    known.inputs.forEach(missing('input'));
    if (known.inputs.length > 0 && known.inputs.every((port) => port.optional && isOpen(port)))
      problems.add(place, `no input port of ${operator.name} is connected`);
    known.outputs.forEach(missing('output'));
  }
}
