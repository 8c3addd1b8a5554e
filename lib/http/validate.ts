import type * as z from 'zod';
import { InvalidInput } from '../model/errors.js';

const maxIssues = 20;

/** For `safeParse`: what is not there is called missing, not of the wrong type. */
export const issueSentences: { readonly error: z.core.$ZodErrorMap } = {
  error: (issue) => (issue.code === 'invalid_type' && issue.input === undefined ? 'is missing' : undefined),
};

/** The value as the schema gives it, or `InvalidInput` naming each place below `where`. */
export function check<T>(schema: z.ZodType<T>, value: unknown, where: 'params' | 'query' | 'body'): T {
  // Nearly all input is right, and a small check with the wording costs several times as much; a second one with it after
  // a wrong one would double what many mistakes cost.
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new InvalidInput(
    parsed.error.issues.slice(0, maxIssues).map((issue) => ({
      path: [where, ...issue.path.map(String)].join('.'),
      message: isMissing.test(issue.message) ? 'is missing' : issue.message,
    })),
  );
}

/** How zod says it where the schema says nothing of its own. */
const isMissing = /^Invalid input: expected .+, received undefined$/;
