import * as z from 'zod';
import { ApplicationDefinition, JsonApplication } from './logical-plan.js';

/** Statements of one application. */
const maxStatements = 100;
/** UTF-16 code units of a statement. */
export const maxStatementLength = 65_536;

/**
 * A JSON application whose job is written in SQL: statements that are carried out in their order, of which the last one makes the
 * job. What a statement may be says the engine.
 */
export const SqlApplication = z
  .looseObject({
    kind: z.literal('sql'),
    displayName: z.string().optional(),
    description: z.string().optional(),
    properties: z
      .record(z.string().max(1024), z.string())
      .optional()
      .describe('of the launch, unless something stronger sets them'),
    statements: z
      .array(z.string().max(maxStatementLength))
      .max(maxStatements)
      .describe('carried out in this order; the last one makes the job'),
  })
  .meta({ id: 'SqlApplication' });
export type SqlApplication = z.output<typeof SqlApplication>;

const unknownKind = 'is "sql", or is left out for an application of operators';

/** What may be kept as a JSON application of a package, whatever it is made of. */
export const PackagedDefinition = z.discriminatedUnion('kind', [ApplicationDefinition, SqlApplication], {
  error: ({ code }) => (code === 'invalid_union' ? unknownKind : undefined),
});
export type PackagedDefinition = z.output<typeof PackagedDefinition>;

/** One that can run, as far as its form goes. */
export const RunnableDefinition = z.discriminatedUnion('kind', [JsonApplication, SqlApplication], {
  error: ({ code }) => (code === 'invalid_union' ? unknownKind : undefined),
});
export type RunnableDefinition = z.output<typeof RunnableDefinition>;

/** Of a driver without `checkSql`. */
export const noSql = (driver: string): string =>
  `The driver "${driver}" runs no applications in SQL: they are for a cluster of Flink`;
