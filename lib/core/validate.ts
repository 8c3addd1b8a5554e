import type { ZodType } from 'zod';
import { InvalidInput } from './errors.js';

const maxIssues = 20;

/** The value as the schema gives it, or `InvalidInput` naming each place below `where`. */
export function check<T>(schema: ZodType<T>, value: unknown, where: 'params' | 'query' | 'body'): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new InvalidInput(
    result.error.issues.slice(0, maxIssues).map((issue) => ({
      path: [where, ...issue.path.map(String)].join('.'),
      message: issue.message,
    })),
  );
}
