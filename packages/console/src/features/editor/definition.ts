import { parseExact, writeExact } from '../../format/exact-json.js';
import { isRecord, type Values } from '../../forms/property-values.js';

/** A definition as its file has it: with keys that nobody here knows, which stay. */
export type Definition = Values;

export interface End {
  readonly operatorName: string;
  readonly portName: string;
}

export interface Operator {
  readonly name: string;
  readonly class: string;
  readonly properties: Values;
  /** Where consoles draw it; absent: nobody has placed it yet. */
  readonly place?: Place;
}

export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface Stream {
  /** The engine's name where the definition has none. */
  readonly name: string;
  readonly locality: string | undefined;
  readonly source: End;
  readonly sinks: readonly End[];
}

export type Read =
  | { readonly ok: true; readonly definition: Definition }
  | { readonly ok: false; readonly message: string };

/** The text is the truth; what is no JSON object can't be drawn. */
export function readText(text: string): Read {
  try {
    const value = parseExact(text);
    return isRecord(value)
      ? { ok: true, definition: value }
      : { ok: false, message: 'A definition is an object: { "operators": […], "streams": […] }' };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

export const writeText = (definition: Definition): string => `${writeExact(definition)}\n`;

export const listIn = (definition: Definition, key: 'operators' | 'streams'): readonly Values[] => {
  const list = definition[key];
  return Array.isArray(list) ? list.filter(isRecord) : [];
};

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** In the order of the text; what is not there yet is empty. */
export const operatorsIn = (definition: Definition): readonly Operator[] =>
  listIn(definition, 'operators').map(({ name, class: className, properties, x, y }) => ({
    name: textIn(name),
    class: textIn(className),
    properties: isRecord(properties) ? properties : {},
    ...(typeof x === 'number' && typeof y === 'number' ? { place: { x, y } } : {}),
  }));

export const streamsIn = (definition: Definition): readonly Stream[] =>
  listIn(definition, 'streams').map(({ name, locality, source, sinks }, index) => ({
    name: typeof name === 'string' ? name : `stream-${index}`,
    locality: typeof locality === 'string' ? locality : undefined,
    source: endIn(source),
    sinks: (Array.isArray(sinks) ? sinks : []).map(endIn),
  }));

function endIn(value: unknown): End {
  const { operatorName, portName } = isRecord(value) ? value : {};
  return { operatorName: textIn(operatorName), portName: textIn(portName) };
}

export const isSameEnd = (a: End, b: End): boolean =>
  a.operatorName === b.operatorName && a.portName === b.portName;
