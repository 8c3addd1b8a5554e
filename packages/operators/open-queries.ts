import * as z from 'zod';
import type { AppDataQuery } from './app-data-query.js';

const OpenQuery = z.object({
  id: z.string(),
  kind: z.enum(['schema', 'data']),
  fields: z.array(z.string()),
  incompleteResultOK: z.boolean(),
  /** One result, without a countdown. */
  once: z.boolean(),
  /** Windows for which it stays open. */
  left: z.number(),
});
export type OpenQuery = z.output<typeof OpenQuery>;
export const OpenQueriesState = z.array(OpenQuery);

interface QueryLimits {
  readonly maxQueries: number;
  /** Longest time that a query stays open, windows. */
  readonly maxCountdown: number;
}

/** Queries that wait for results. A query with the id of another takes its place. */
export class OpenQueries {
  limits: QueryLimits;
  #open = new Map<string, OpenQuery>();

  constructor(limits: QueryLimits) {
    this.limits = limits;
  }

  /** Whether there was room. */
  add({ id, kind, fields, countdown, incompleteResultOK }: AppDataQuery): boolean {
    const { maxQueries, maxCountdown } = this.limits;
    if (!this.#open.has(id) && this.#open.size >= maxQueries) return false;
    const left = Math.min(countdown ?? maxCountdown, maxCountdown);
    const once = countdown === null;
    this.#open.set(id, { id, kind, fields: [...fields], incompleteResultOK, once, left });
    return true;
  }

  /**
   * A window ended. `answer` tells whether there was something to answer, or that this window's answers are enough:
   * the others then keep their countdown, and are the first in the next window.
   */
  answerAll(answer: (query: OpenQuery) => 'answered' | 'nothing' | 'enough'): void {
    for (const query of [...this.#open.values()]) {
      const how = answer(query);
      if (how === 'enough') return;
      query.left -= 1;
      this.#open.delete(query.id);
      if (query.left > 0 && !(query.once && how === 'answered')) this.#open.set(query.id, query);
    }
  }

  get size(): number {
    return this.#open.size;
  }

  get state(): readonly OpenQuery[] {
    return [...this.#open.values()];
  }

  set state(queries: readonly OpenQuery[]) {
    this.#open = new Map(queries.map((query) => [query.id, query]));
  }
}
