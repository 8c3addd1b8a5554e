import * as z from 'zod';

// What tables of answers are written with.

/** What a call gives: `later` by a promise, or either way. */
export interface AnswerShape {
  readonly shape: z.ZodType;
  readonly isLater: boolean;
}

/** One for each method, so that none can be forgotten. Other members are no calls. */
export type AnswersOf<T> = {
  readonly [Call in keyof T as NonNullable<T[Call]> extends (...args: never[]) => unknown
    ? Call
    : never]-?: AnswerShape;
};

/** One for each member of a value that is written down as a type. */
export type MembersOf<T> = { readonly [Member in keyof T]-?: z.ZodType };

export const later = (shape: z.ZodType): AnswerShape => ({ shape, isLater: true });
export const sooner = (shape: z.ZodType): AnswerShape => ({ shape, isLater: false });

/** Nobody looks at what comes. */
const anything = z.unknown();
export const done = later(anything);
export const doneSooner = sooner(anything);

export const fun = z.custom((value) => typeof value === 'function', 'is no function');
export const buffer = z.custom(Buffer.isBuffer, 'is no Buffer');
export const count = z.int().min(0);
export const values = z.record(z.string(), z.unknown());

/** `resourceManager.` and `{ kill }` are `resourceManager.kill`. */
export const answersBelow = (
  groups: Readonly<Record<string, Readonly<Record<string, AnswerShape>>>>,
): ReadonlyMap<string, AnswerShape> =>
  new Map(
    Object.entries(groups).flatMap(([prefix, answers]) =>
      Object.entries(answers).map(([call, shape]) => [`${prefix}${call}`, shape] as const),
    ),
  );
