import { jsonText } from './record.js';

/** What an expression may call. Arguments that don't fit give `null`; nothing here throws or loops over anything. */
interface ExpressionFunction {
  readonly arguments: readonly [least: number, most: number];
  apply(values: readonly unknown[]): unknown;
}

const onNumber = (compute: (value: number) => number): ExpressionFunction => ({
  arguments: [1, 1],
  apply: ([value]) => (typeof value === 'number' ? compute(value) : null),
});

const onText = (compute: (value: string) => unknown): ExpressionFunction => ({
  arguments: [1, 1],
  apply: ([value]) => (typeof value === 'string' ? compute(value) : null),
});

const onTexts = (compute: (value: string, other: string) => unknown): ExpressionFunction => ({
  arguments: [2, 2],
  apply: ([value, other]) =>
    typeof value === 'string' && typeof other === 'string' ? compute(value, other) : false,
});

export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  // The same as in JSON, but quicker: keys are often numbers.
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return value === null || value === undefined ? '' : jsonText(value);
}

const numberOf = (value: unknown): number | null => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
};

const lengthOf = (value: unknown): number | null =>
  typeof value === 'string' || Array.isArray(value) ? value.length : null;

export const expressionFunctions: ReadonlyMap<string, ExpressionFunction> = new Map([
  ['abs', onNumber(Math.abs)],
  ['ceil', onNumber(Math.ceil)],
  ['floor', onNumber(Math.floor)],
  ['round', onNumber(Math.round)],
  ['lower', onText((text) => text.toLowerCase())],
  ['upper', onText((text) => text.toUpperCase())],
  ['trim', onText((text) => text.trim())],
  ['startsWith', onTexts((text, start) => text.startsWith(start))],
  ['endsWith', onTexts((text, end) => text.endsWith(end))],
  ['contains', onTexts((text, part) => text.includes(part))],
  [
    'before',
    onTexts((text, mark) => (mark !== '' && text.includes(mark) ? text.slice(0, text.indexOf(mark)) : text)),
  ],
  ['length', { arguments: [1, 1], apply: ([value]) => lengthOf(value) }],
  ['number', { arguments: [1, 1], apply: ([value]) => numberOf(value) }],
  ['string', { arguments: [1, 1], apply: ([value]) => textOf(value) }],
  ['default', { arguments: [2, 2], apply: ([value, otherwise]) => value ?? otherwise }],
  ['if', { arguments: [3, 3], apply: ([test, yes, no]) => (test === true ? yes : no) }],
]);
