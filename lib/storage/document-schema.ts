import * as z from 'zod';
import type { StorageProblem } from '../interfaces/storage.js';
import { documentName } from './storage-keys.js';

/** What the documents of one collection have to fit, and which of them did not when they were read last. */
export interface DocumentSchema<T> {
  /** One that was read; `problems` tells of it when it does not fit. */
  read(key: string, value: unknown): z.ZodSafeParseResult<T>;
  /** One that is to be written. Throws `TypeError` when it would not fit. */
  written(key: string, value: T): T;
  /** Nothing is wrong with this one any more. */
  settle(key: string): void;
  problems(): readonly StorageProblem[];
}

/** Problems remembered of one collection; there is a flaw in the schema when there are more. */
const maxProblems = 1000;

export function createDocumentSchema<T>(name: string, schema: z.ZodType<T>): DocumentSchema<T> {
  const problems = new Map<string, StorageProblem>();
  return {
    read(key, value) {
      const parsed = schema.safeParse(value);
      if (parsed.success) problems.delete(key);
      else if (problems.size < maxProblems) {
        const message = `${documentName(name, key)} does not fit its schema: ${z.prettifyError(parsed.error)}`;
        problems.set(key, { kind: 'document', collection: name, key, message });
      }
      return parsed;
    },

    written(key, value) {
      const parsed = schema.safeParse(value);
      if (parsed.success) return parsed.data;
      throw new TypeError(
        `${documentName(name, key)} would not fit its schema: ${z.prettifyError(parsed.error)}`,
      );
    },

    settle(key) {
      problems.delete(key);
    },

    problems: () => [...problems.values()],
  };
}
