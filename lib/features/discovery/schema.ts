import * as z from 'zod';
import { Flag } from '../../model/inputs.js';

export const CapabilitiesQuery = z.object({
  paths: Flag.default(true).describe(
    '`false`: without methods and paths, for those who know them: a third of the bytes',
  ),
});

/** What is possible here, and why not: per driver and for the caller. */
export const Capabilities = z
  .object({
    driver: z.string(),
    capabilities: z.array(z.string()).describe('facets that the driver in use offers'),
    operations: z.array(
      z.object({
        id: z.string(),
        method: z.string().optional(),
        path: z.string().optional(),
        allowed: z.boolean(),
        reason: z.string().optional().describe('why not'),
      }),
    ),
  })
  .meta({ id: 'Capabilities' });
export type Capabilities = z.output<typeof Capabilities>;

export const Health = z
  .object({
    status: z.enum(['ok', 'degraded']),
    reasons: z.array(z.object({ part: z.string(), message: z.string() })),
  })
  .meta({ id: 'Health' });
export type Health = z.output<typeof Health>;

export const OpenApiDocument = z.looseObject({ openapi: z.string() }).meta({ id: 'OpenApiDocument' });
export const AsyncApiDocument = z.looseObject({ asyncapi: z.string() }).meta({ id: 'AsyncApiDocument' });
export type AsyncApiDocument = z.output<typeof AsyncApiDocument>;
export type OpenApiDocument = z.output<typeof OpenApiDocument>;
