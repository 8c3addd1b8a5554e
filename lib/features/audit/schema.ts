import * as z from 'zod';
import { inUnit, quantity } from '../../model/quantity.js';
import { AnyUserName } from '../accounts/schema.js';

export const AuditResult = z
  .enum(['done', 'refused', 'failed', 'unknown'])
  .describe(
    'refused: nothing was changed; failed: it may have been, in part or whole; unknown: the gateway ended before it was noted',
  );
export type AuditResult = z.output<typeof AuditResult>;

/** One operation that changes something, or would have. */
export const AuditRecord = z
  .object({
    id: z.string().describe('grows with time'),
    time: quantity('epoch ms').describe(
      'of the answer, milliseconds since 1970; of the beginning when it is unknown',
    ),
    requestId: z.string(),
    userName: z.string().describe('empty: nobody known; at a login the name that was given'),
    authScheme: z.string().optional(),
    session: z.string().optional().describe('the session or API token, not its secret'),
    remoteAddress: z.string(),
    operation: z.string().describe('as in the reference: `killApplication`'),
    method: z.string(),
    target: z.string().describe('the path, without the query'),
    result: AuditResult,
    status: z.number().describe('of the answer; 0: unknown'),
    code: z.string().optional().describe('of the error'),
    input: z
      .unknown()
      .optional()
      .describe('query and JSON body, shortened, without secrets; absent when not read'),
  })
  .meta({ id: 'AuditRecord' });
export type AuditRecord = z.output<typeof AuditRecord>;

const Time = z.coerce.number().int().meta(inUnit('epoch ms')).optional().describe('milliseconds since 1970');

export const AuditFilter = z.object({
  user: AnyUserName.optional(),
  operation: z.string().max(64).optional(),
  target: z.string().max(1000).optional().describe('how the path begins'),
  result: AuditResult.optional(),
  requestId: z.string().max(64).optional(),
  since: Time,
  until: Time,
  before: z
    .string()
    .regex(/^\d{1,15}$/, 'is no id of a record')
    .optional()
    .describe('the `next` of the page before'),
  limit: z.coerce.number().int().min(1).max(1000).default(100).meta(inUnit('records')),
});
export type AuditFilter = z.output<typeof AuditFilter>;

export const AuditPage = z
  .object({
    records: z.array(AuditRecord).describe('the newest first'),
    next: z.string().optional().describe('for `before`; absent: there are no more'),
  })
  .meta({ id: 'AuditPage' });
export type AuditPage = z.output<typeof AuditPage>;
