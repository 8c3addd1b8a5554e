import { isRecord, type Values } from '../../forms/property-values.js';
import { type Definition, type End, isSameEnd, listIn, type Place, streamsIn } from './definition.js';

// Each change gives a new definition, and touches nothing but what it is about: keys of others stay where they are.

/** `name` is that of the new operator: of its class, with a number where that is taken. */
export function addOperator(
  definition: Definition,
  className: string,
  place: Place,
): { readonly definition: Definition; readonly name: string } {
  const operators = listIn(definition, 'operators');
  const last = className.split(/[.$]/).at(-1) ?? '';
  const base = `${last.charAt(0).toLowerCase()}${last.slice(1)}` || 'operator';
  const name = freeName(base, namesIn(operators));
  const operator = { name, class: className, properties: {}, ...rounded(place) };
  return { definition: { ...definition, operators: [...operators, operator] }, name };
}

/** Its streams go with it; streams that led elsewhere, too, stay for the others. */
export function removeOperator(definition: Definition, name: string): Definition {
  const isOf = (end: unknown) => isRecord(end) && end['operatorName'] === name;
  const streams = listIn(definition, 'streams')
    .filter(({ source }) => !isOf(source))
    .flatMap((stream) => {
      const sinks = sinksOf(stream);
      const left = sinks.filter((sink) => !isOf(sink));
      return left.length === sinks.length ? [stream] : left.length === 0 ? [] : [{ ...stream, sinks: left }];
    });
  const operators = listIn(definition, 'operators').filter((operator) => operator['name'] !== name);
  return { ...definition, operators, streams };
}

/** The same definition when the new name is empty or taken. */
export function renameOperator(definition: Definition, from: string, to: string): Definition {
  const operators = listIn(definition, 'operators');
  if (to === '' || to === from || namesIn(operators).has(to)) return definition;
  const renamed = (end: unknown) =>
    isRecord(end) && end['operatorName'] === from ? { ...end, operatorName: to } : end;
  return {
    ...definition,
    operators: operators.map((one) => (one['name'] === from ? { ...one, name: to } : one)),
    streams: listIn(definition, 'streams').map((stream) => ({
      ...stream,
      ...('source' in stream ? { source: renamed(stream['source']) } : {}),
      ...('sinks' in stream ? { sinks: sinksOf(stream).map(renamed) } : {}),
    })),
  };
}

export const moveOperator = (definition: Definition, name: string, place: Place): Definition =>
  withOperator(definition, name, (operator) => ({ ...operator, ...rounded(place) }));

/** `undefined` takes the value away. */
export const setProperty = (definition: Definition, name: string, key: string, value: unknown): Definition =>
  withOperator(definition, name, (operator) => {
    const before = isRecord(operator['properties']) ? operator['properties'] : {};
    const { [key]: _, ...others } = before;
    return { ...operator, properties: value === undefined ? others : { ...before, [key]: value } };
  });

/** One more sink where the source has a stream already: a port has one stream. */
export function connect(definition: Definition, source: End, sink: End): Definition {
  const streams = listIn(definition, 'streams');
  const all = streamsIn(definition);
  if (all.some(({ sinks }) => sinks.some((one) => isSameEnd(one, sink)))) return definition;
  const at = all.findIndex((stream) => isSameEnd(stream.source, source));
  if (at >= 0)
    return {
      ...definition,
      streams: streams.map((stream, index) =>
        index === at ? { ...stream, sinks: [...sinksOf(stream), sink] } : stream,
      ),
    };
  const name = freeName(`${source.operatorName}-${source.portName}`, new Set(all.map((one) => one.name)));
  return { ...definition, streams: [...streams, { name, source, sinks: [sink] }] };
}

/** The stream goes when nothing is left that it leads to. */
export function disconnect(definition: Definition, sink: End): Definition {
  const streams = listIn(definition, 'streams').flatMap((stream, index) => {
    const ends = streamsIn(definition)[index]?.sinks ?? [];
    const left = sinksOf(stream).filter((_, place) => !isSameEnd(ends[place] ?? sink, sink));
    return left.length === ends.length ? [stream] : left.length === 0 ? [] : [{ ...stream, sinks: left }];
  });
  return { ...definition, streams };
}

/** By the name that it has, or that the engine would give it. `undefined` takes the locality away. */
export function setLocality(definition: Definition, name: string, locality: string | undefined): Definition {
  const at = streamsIn(definition).findIndex((stream) => stream.name === name);
  return {
    ...definition,
    streams: listIn(definition, 'streams').map((stream, index) => {
      if (index !== at) return stream;
      const { locality: _, ...others } = stream;
      return locality === undefined ? others : { ...others, locality };
    }),
  };
}

/** Of the application itself: what people read. */
export function setText(
  definition: Definition,
  key: 'displayName' | 'description',
  text: string,
): Definition {
  const { [key]: _, ...others } = definition;
  return text === '' ? others : { ...definition, [key]: text };
}

const withOperator = (
  definition: Definition,
  name: string,
  change: (operator: Values) => Values,
): Definition => ({
  ...definition,
  operators: listIn(definition, 'operators').map((one) => (one['name'] === name ? change(one) : one)),
});

const sinksOf = ({ sinks }: Values): readonly unknown[] => (Array.isArray(sinks) ? sinks : []);

const namesIn = (operators: readonly Values[]): ReadonlySet<unknown> =>
  new Set(operators.map(({ name }) => name));

const rounded = ({ x, y }: Place): Place => ({ x: Math.round(x), y: Math.round(y) });

/** The engine takes keys apart at dots, so names hold none. */
function freeName(wanted: string, taken: ReadonlySet<unknown>): string {
  const base = wanted.replaceAll('.', '-');
  if (!taken.has(base)) return base;
  let number = 2;
  while (taken.has(`${base}${number}`)) number++;
  return `${base}${number}`;
}
