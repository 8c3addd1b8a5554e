import { type Definition, type End, isSameEnd, streamsIn } from './definition.js';
import { words } from './words.js';

export interface Port {
  readonly name: string;
  readonly optional: boolean;
  readonly type?: string | undefined;
  readonly typeLiteral?: string | undefined;
}

/** What must be known of a class to join its ports. */
export interface Ports {
  readonly inputPorts: readonly Port[];
  readonly outputPorts: readonly Port[];
}

/** Of the operator with that name; `undefined` when nothing is known of its class. */
export type PortsOf = (operatorName: string) => Ports | undefined;

const anything: ReadonlySet<string> = new Set(['any', 'unknown', 'java.lang.Object', '?']);

const boxes: Readonly<Record<string, string>> = {
  boolean: 'java.lang.Boolean',
  byte: 'java.lang.Byte',
  char: 'java.lang.Character',
  short: 'java.lang.Short',
  int: 'java.lang.Integer',
  long: 'java.lang.Long',
  float: 'java.lang.Float',
  double: 'java.lang.Double',
};
const boxed: ReadonlySet<string> = new Set([...Object.values(boxes), 'java.lang.String']);
const numbers: ReadonlySet<string> = new Set(
  ['Byte', 'Short', 'Integer', 'Long', 'Float', 'Double'].map((name) => `java.lang.${name}`),
);

/**
 * Whether tuples of one port can go into another. Types of which nothing is known fit: the engine tells when it runs. Of two
 * different classes of a JVM one may descend from the other, unless they are final.
 */
export function typesFit(from: Port, into: Port): boolean {
  if (isOpen(from) || isOpen(into)) return true;
  const [given, taken] = [nameOf(from), nameOf(into)];
  if (given === taken) return true;
  if (taken === 'java.lang.Number') return numbers.has(given) || !isFinal(given);
  if (given === 'java.lang.Number') return false;
  const isClass = given.includes('.') && taken.includes('.');
  return isClass && !isFinal(given) && !isFinal(taken);
}

/** No type, any, or a variable that whoever makes the application chooses. */
const isOpen = ({ type, typeLiteral }: Port): boolean =>
  type === undefined || anything.has(type) || typeLiteral !== undefined;

const nameOf = ({ type = 'any' }: Port): string => boxes[type] ?? type;

const isFinal = (name: string): boolean => boxed.has(name) || name.startsWith('[');

/** Why two ports can't be joined; `undefined` when they can. */
export function joinRefusal(
  definition: Definition,
  portsOf: PortsOf,
  source: End,
  sink: End,
): string | undefined {
  if (source.operatorName === sink.operatorName) return words.toItself;
  const owner = streamsIn(definition).find(({ sinks }) => sinks.some((one) => isSameEnd(one, sink)));
  if (owner) return words.isTaken(sink.portName, owner.name);
  return typeRefusal(portsOf, source, sink);
}

export function typeRefusal(portsOf: PortsOf, source: End, sink: End): string | undefined {
  const from = portsOf(source.operatorName)?.outputPorts.find(({ name }) => name === source.portName);
  const into = portsOf(sink.operatorName)?.inputPorts.find(({ name }) => name === sink.portName);
  if (!from || !into || typesFit(from, into)) return undefined;
  return words.typesDiffer(from.type ?? 'any', into.type ?? 'any');
}
