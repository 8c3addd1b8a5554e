import { parseExact, writeExact } from '../../format/exact-json.js';

/** A logical plan as far as it can be changed; values of properties as JSON with every digit. */
export interface PlanShape {
  readonly operators: readonly PlanOperator[];
  readonly streams: readonly PlanStream[];
}

interface PlanOperator {
  readonly name: string;
  readonly class: string;
  readonly properties: Readonly<Record<string, string>>;
}

export interface PlanStream {
  readonly name: string;
  readonly source: PlanEnd;
  readonly sinks: readonly PlanEnd[];
}

export interface PlanEnd {
  readonly operatorName: string;
  readonly portName: string;
}

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const object = (value: unknown): Json => (isObject(value) ? value : {});

const endOf = (value: unknown): PlanEnd => {
  const { operatorName, portName } = object(value);
  return { operatorName: text(operatorName), portName: text(portName) };
};

/** From the text of an answer of `getLogicalPlan`: parsed the usual way, long numbers would be rounded. */
export function planShape(answer: string): PlanShape {
  const { operators, streams } = object(parseExact(answer));
  return {
    operators: list(operators).map(({ name, class: className, properties }) => ({
      name: text(name),
      class: text(className),
      properties: Object.fromEntries(
        Object.entries(object(properties))
          .filter(([key]) => key !== 'class')
          .map(([key, value]) => [key, writeExact(value)]),
      ),
    })),
    streams: list(streams).map(({ name, source, sinks }) => ({
      name: text(name),
      source: endOf(source),
      sinks: list(sinks).map(endOf),
    })),
  };
}

/** What one plan has that the other has not, told as a person reads it; a property by its operator, a sink by its stream. */
export interface PlanDifference {
  readonly mark: 'added' | 'removed' | 'changed';
  readonly kind: 'operator' | 'stream' | 'sink' | 'property';
  readonly name: string;
  readonly detail: string;
}

const sayEnd = ({ operatorName, portName }: PlanEnd): string => `${operatorName}.${portName}`;
const sayStream = ({ source, sinks }: PlanStream): string =>
  `${sayEnd(source)} → ${sinks.map(sayEnd).join(', ')}`;

export function differenceOf(before: PlanShape, after: PlanShape): readonly PlanDifference[] {
  return [
    ...compared(before.operators, after.operators, 'operator', (one) => one.class, changedOperator),
    ...compared(before.streams, after.streams, 'stream', sayStream, changedStream),
  ];
}

function compared<T extends { readonly name: string }>(
  before: readonly T[],
  after: readonly T[],
  kind: 'operator' | 'stream',
  say: (one: T) => string,
  changes: (was: T, is: T) => readonly PlanDifference[],
): PlanDifference[] {
  const was = new Map(before.map((one) => [one.name, one]));
  const is = new Map(after.map((one) => [one.name, one]));
  const gone = before.filter(({ name }) => !is.has(name));
  return [
    ...gone.map((one) => ({ mark: 'removed' as const, kind, name: one.name, detail: say(one) })),
    ...after.flatMap((one) => {
      const old = was.get(one.name);
      return old ? changes(old, one) : [{ mark: 'added' as const, kind, name: one.name, detail: say(one) }];
    }),
  ];
}

function changedOperator(was: PlanOperator, is: PlanOperator): PlanDifference[] {
  const { name } = is;
  const other =
    was.class === is.class
      ? []
      : [{ mark: 'changed' as const, kind: 'operator' as const, name, detail: is.class }];
  const keys = new Set([...Object.keys(was.properties), ...Object.keys(is.properties)]);
  const properties = [...keys].flatMap((key) => {
    const [old, now] = [was.properties[key], is.properties[key]];
    if (old === now) return [];
    return [
      {
        mark: 'changed' as const,
        kind: 'property' as const,
        name,
        detail: `${key}: ${old ?? '–'} → ${now ?? '–'}`,
      },
    ];
  });
  return [...other, ...properties];
}

function changedStream(was: PlanStream, is: PlanStream): PlanDifference[] {
  const { name } = is;
  if (sayEnd(was.source) !== sayEnd(is.source))
    return [{ mark: 'changed', kind: 'stream', name, detail: sayStream(is) }];
  const old = new Set(was.sinks.map(sayEnd));
  const now = new Set(is.sinks.map(sayEnd));
  return [
    ...[...old]
      .filter((sink) => !now.has(sink))
      .map((detail) => ({ mark: 'removed' as const, kind: 'sink' as const, name, detail })),
    ...[...now]
      .filter((sink) => !old.has(sink))
      .map((detail) => ({ mark: 'added' as const, kind: 'sink' as const, name, detail })),
  ];
}
