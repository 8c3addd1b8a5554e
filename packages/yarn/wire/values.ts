import * as z from 'zod';

// The engine writes numbers as text, and older masters leave out what newer ones tell.

/** 0 for what is absent or no number. */
export const Quantity = z
  .union([z.number(), z.string(), z.null()])
  .optional()
  .transform((value) => {
    const number = Number(value ?? 0);
    return Number.isFinite(number) ? number : 0;
  });

/** Milliseconds of an event; -1: it has not happened. */
export const Moment = z
  .union([z.number(), z.string(), z.null()])
  .optional()
  .transform((value) => {
    const number = value === undefined || value === null || value === '' ? -1 : Number(value);
    return Number.isFinite(number) ? number : -1;
  });

/** An id as text, whatever it came as. */
export const Id = z.union([z.string(), z.number().transform(String)]);

/** `0` for what is absent or below 0, as the engine itself writes it. */
export const WindowId = z
  .union([Id, z.null()])
  .optional()
  .transform((id) => (id === undefined || id === null || !/^\d{1,20}$/.test(id) ? '0' : id));

export const Text = z
  .string()
  .nullish()
  .transform((text) => text ?? '');

/** Numbers that came as text, as what they are, also inside; those that a double can't hold stay text. */
function numbersIn(value: unknown): unknown {
  if (typeof value === 'string') return numberIn(value);
  if (Array.isArray(value)) return value.map(numbersIn);
  return typeof value === 'object' && value !== null ? numbersOf({ ...value }) : value;
}

export const numbersOf = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, numbersIn(value)]));

function numberIn(text: string): string | number {
  if (!/^-?(?:0|[1-9]\d{0,15})(?:\.\d{1,30})?(?:E-?\d{1,3})?$/.test(text)) return text;
  const number = Number(text);
  return Number.isInteger(number) && !Number.isSafeInteger(number) && !/[.E]/.test(text) ? text : number;
}

export const Values = z.record(z.string(), z.unknown());
