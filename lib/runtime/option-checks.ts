import { absolutePath, absoluteProgram } from './host-paths.js';
import { nearestName } from './nearest-name.js';
import { instanceProblem, kindOf, shown } from './option-sentences.js';

// What a host writes is checked once, where it is read: one in JavaScript has no compiler to tell it. The sentences are the
// same everywhere, and say what to write.

/** Where an option stands. */
export interface OptionPlace {
  /** What the host has called: `createGateway`. */
  readonly caller: string;
  /** As the host writes it, `mail.limits.mails` or `origins[0]`; empty for all options together. */
  readonly path: string;
}

export interface OptionCheck {
  /** What is wrong with it, as a sentence; `undefined`: nothing. Not asked about what is absent. */
  problem(value: unknown, place: OptionPlace): string | undefined;
  /** What it comes to, when nothing is wrong with it. Absent: it stays what it is. */
  read?(value: unknown): unknown;
  /** What to write, for what can't be left out. */
  readonly needed?: string;
}

/** A check for each option there is. */
export type OptionChecks<Options> = { readonly [Name in keyof Options]-?: OptionCheck };

/**
 * The options that a host gave to `caller`, with absolute paths. Throws a `TypeError` that names the first one which can't be
 * used, and says what to write. Options of another name are refused.
 */
export function readOptions<Options extends object>(
  caller: string,
  given: Options,
  checks: OptionChecks<Options>,
): Options {
  return { ...given, ...readBy(group(checks), caller, given) };
}

/** The same where all of them are limits, each with its default. */
export const readLimits = <Limits extends object>(
  caller: string,
  given: Partial<Limits>,
  defaults: Limits,
  least = 1,
): Limits => ({ ...defaults, ...readBy(limits(defaults, least), caller, given) });

function readBy(all: GroupCheck, caller: string, given: object | undefined): object {
  const problem = all.problem(given ?? {}, { caller, path: '' });
  if (problem !== undefined) throw new TypeError(problem);
  return all.read(given);
}

/** Throws a `TypeError` for what is no option, and what `caller` calls `name`. */
export function requireArgument(caller: string, name: string, given: unknown, check: OptionCheck): void {
  const problem = check.problem(given, { caller, path: name });
  if (problem !== undefined) throw new TypeError(problem);
}

/** `fits`: whether it can be used. `expected` ends the sentence `... must be`. */
const must = (
  expected: string,
  fits: (value: unknown) => boolean,
  say: (value: unknown) => string = shown,
): OptionCheck => ({
  problem: (value, { caller, path }) =>
    fits(value) ? undefined : `${caller}: ${path} must be ${expected}, not ${say(value)}`,
});

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !('then' in value);

const isText = (value: unknown): value is string => typeof value === 'string';

const between = (least: number, most: number): OptionCheck => ({
  problem(value, { caller, path }) {
    if (typeof value === 'number' && value >= least && value <= most) return undefined;
    const what = typeof value === 'number' ? '' : 'a number of ';
    const to = most === Number.POSITIVE_INFINITY ? '' : ` and at most ${most}`;
    return `${caller}: ${path} must be ${what}at least ${least}${to}, not ${shown(value)}`;
  },
});

const atLeast = (least: number): OptionCheck => between(least, Number.POSITIVE_INFINITY);

function listOf(each: OptionCheck): OptionCheck {
  return {
    problem(value, place) {
      const { caller, path } = place;
      if (!Array.isArray(value))
        return `${caller}: ${path} must be a list, not ${kindOf(value)}: write ${path}: [...]`;
      return first(value.map((one, index) => each.problem(one, { ...place, path: `${path}[${index}]` })));
    },
    read: (value) => (Array.isArray(value) ? value.map((one) => valueBy(each, one)) : value),
  };
}

const valueBy = (check: OptionCheck, value: unknown): unknown => (check.read ? check.read(value) : value);

const first = (problems: readonly (string | undefined)[]) =>
  problems.find((problem) => problem !== undefined);

interface GroupCheck extends OptionCheck {
  /** Only what was said: what is `undefined` is as good as absent. */
  read(given: unknown): Readonly<Record<string, unknown>>;
}

function group<Options extends object>(checks: OptionChecks<Options>): GroupCheck {
  const known: readonly [string, OptionCheck][] = Object.entries(checks);
  const names = known.map(([name]) => name);
  return {
    problem(given, { caller, path }) {
      if (!isObject(given))
        return path === ''
          ? `${caller} takes an object with options, not ${kindOf(given)}`
          : `${caller}: ${path} must be an object, not ${kindOf(given)}`;
      const pathOf = (name: string) => (path === '' ? name : `${path}.${name}`);
      const stranger = Object.keys(given).find((name) => !names.includes(name));
      if (stranger !== undefined) return unknownOption(caller, pathOf, stranger, names);
      return first(
        known.map(([name, check]) => {
          const value: unknown = Reflect.get(given, name);
          if (value !== undefined) return check.problem(value, { caller, path: pathOf(name) });
          return check.needed === undefined
            ? undefined
            : `${caller} needs the option \`${pathOf(name)}\`: ${check.needed}`;
        }),
      );
    },
    read(given) {
      if (!isObject(given)) return {};
      return Object.fromEntries(
        known.flatMap(([name, check]) => {
          const value: unknown = Reflect.get(given, name);
          return value === undefined ? [] : [[name, valueBy(check, value)]];
        }),
      );
    },
  };
}

/** Numbers, each by the name of its default. */
const limits = (defaults: object, least = 1): GroupCheck =>
  group(Object.fromEntries(Object.keys(defaults).map((name) => [name, atLeast(least)])));

function unknownOption(
  caller: string,
  pathOf: (name: string) => string,
  written: string,
  names: readonly string[],
): string {
  const near = nearestName(written, names);
  const all = `there ${names.length === 1 ? 'is only' : 'are'} ${names.join(', ')}`;
  const remedy = near === undefined ? all : `did you mean \`${pathOf(near)}\`?`;
  return `${caller}: there is no option \`${pathOf(written)}\`; ${remedy}`;
}

/** An object with such values, whatever their names. */
const valuesOf = (each: OptionCheck): OptionCheck => ({
  problem(given, place) {
    const { caller, path } = place;
    if (!isObject(given)) return `${caller}: ${path} must be an object, not ${kindOf(given)}`;
    return first(
      Object.entries(given).map(([name, value]) =>
        value === undefined ? undefined : each.problem(value, { ...place, path: `${path}.${name}` }),
      ),
    );
  },
  read: (given) =>
    isObject(given)
      ? Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
      : given,
});

const callback = must('a function', (value) => typeof value === 'function', kindOf);

const path = must(
  'a path',
  (value) => isText(value) && value !== '' && !value.includes('\0') && !value.startsWith('file:'),
  (value) =>
    value instanceof URL || (isText(value) && value.startsWith('file:'))
      ? 'a URL: write fileURLToPath(url), of node:url'
      : shown(value),
);

/** An object with methods of which each may be absent. One with other names only has them misspelt. */
const hooks = (methods: readonly string[], by: string): OptionCheck => ({
  problem(value, { caller, path }) {
    if (!isObject(value)) return `${caller}: ${path} must be ${by}, not ${kindOf(value)}`;
    const absent = methods.filter((name) => Reflect.get(value, name) === undefined);
    const others = Object.keys(value).filter((name) => !methods.includes(name));
    const slip = others.find((name) => nearestName(name, absent));
    if (slip !== undefined) return unknownOption(caller, (name) => `${path}.${name}`, slip, absent);
    if (others.length > 0 && !methods.some((name) => name in value))
      return `${caller}: ${path} has none of the methods ${methods.join(', ')}: give ${by}`;
    return first(
      methods
        .filter((name) => !absent.includes(name))
        .map((name) => callback.problem(Reflect.get(value, name), { caller, path: `${path}.${name}` })),
    );
  },
});

/** What options may be checked for. Texts that may be secrets are never shown. */
export const option = {
  /** Whatever it is: somebody else looks at it, and says what is wrong. */
  anything: must('anything', () => true),
  flag: must('true or false', (value) => typeof value === 'boolean'),
  text: must('a string', isText, kindOf),
  callback,
  bytes: must('a Buffer', (value) => value instanceof Uint8Array, kindOf),
  /** Of a file or folder: absolute from here on. */
  path: {
    ...path,
    read: (value: unknown) => (isText(value) ? absolutePath(value) : value),
  },
  /** The same of a program; a name alone is looked for in `PATH`. */
  program: {
    ...path,
    read: (value: unknown) => (isText(value) ? absoluteProgram(value) : value),
  },
  atLeast,
  between,
  oneOf: (...values: readonly string[]) =>
    must(
      values.map((value) => `'${value}'`).join(' or '),
      (value) => isText(value) && values.includes(value),
    ),
  matching: (pattern: RegExp, expected: string) =>
    must(expected, (value) => isText(value) && pattern.test(value)),
  listOf,
  /** A list, or one alone. */
  oneOrMore: (each: OptionCheck): OptionCheck => ({
    problem: (value, place) => (Array.isArray(value) ? listOf(each) : each).problem(value, place),
    read: (value) => valueBy(Array.isArray(value) ? listOf(each) : each, value),
  }),
  valuesOf,
  group,
  limits,
  /** What somebody else may have made: an object of any class with these methods. `by` says what there is of its kind. */
  instance: (methods: readonly string[], by: string): OptionCheck => ({
    problem: (value, place) => instanceProblem(value, place, methods, by),
  }),
  hooks,
  /** `needed` says what to write. */
  needed: (check: OptionCheck, needed: string): OptionCheck => ({ ...check, needed }),
};
