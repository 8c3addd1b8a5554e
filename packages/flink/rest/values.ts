import * as z from 'zod';

// Words of the REST API that many answers share. What an answer lacks, as older versions may, is absent here too.

/** 32 digits of hexadecimal: of jobs and of their vertices. */
const hexId = /^[0-9a-f]{32}$/;

/** Before it becomes a part of a path. */
export const isHexId = (text: string): boolean => hexId.test(text);

/** Epoch milliseconds; `undefined` for -1 and 0, which stand for what has not happened. */
export const Moment = z
  .number()
  .nullish()
  .transform((value) => (value !== null && value !== undefined && value > 0 ? value : undefined));

/** `undefined` for -1, which stands for what is not known. */
export const Amount = z
  .number()
  .nullish()
  .transform((value) => (value !== null && value !== undefined && value >= 0 ? value : undefined));

/** A number, also one that came as text; `undefined` for `NaN`, as for what is absent. */
export function numberIn(value: string | number | undefined): number | undefined {
  if (value === undefined || value === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

export const Text = z
  .string()
  .nullish()
  .transform((text) => text ?? '');

/** Without what is not known. */
export function present<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const kept: { [K in keyof T]?: NonNullable<T[K]> } = {};
  for (const name in values) {
    const value = values[name];
    if (value !== undefined && value !== null) kept[name] = value;
  }
  return kept;
}
