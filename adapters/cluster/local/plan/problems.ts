import { type InputIssue, InvalidInput } from '../../../../lib/index.js';

/** Gathers what is wrong with an application, each with its place, so that one answer tells all. */
export interface Problems {
  add(path: string, message: string): void;
  throwIfAny(): void;
}

const maxProblems = 50;

export function createProblems(): Problems {
  const issues: InputIssue[] = [];
  return {
    add(path, message) {
      if (issues.length < maxProblems) issues.push({ path, message });
    },
    throwIfAny() {
      if (issues.length > 0) throw new InvalidInput(issues);
    },
  };
}
