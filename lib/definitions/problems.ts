import { type InputIssue, InvalidInput } from '../model/errors.js';

/** Gathers what is wrong with an application, each with its place, so that one answer tells all. */
export interface Problems {
  /** A message that costs something to make is made only if it is told. */
  add(path: string, message: string | (() => string)): void;
  /** In the order in which they were found; beyond the hundredth one entry tells how many more there are. */
  readonly all: readonly InputIssue[];
  /** Throws `InvalidInput`. */
  throwIfAny(): void;
}

const maxProblems = 100;

export function createProblems(): Problems {
  const found: InputIssue[] = [];
  let more = 0;
  const problems: Problems = {
    add(path, message) {
      if (found.length === maxProblems) more++;
      else found.push({ path, message: typeof message === 'string' ? message : message() });
    },
    get all() {
      return more === 0 ? found : [...found, { path: '', message: `and ${more} more` }];
    },
    throwIfAny() {
      if (found.length > 0) throw new InvalidInput(problems.all);
    },
  };
  return problems;
}
