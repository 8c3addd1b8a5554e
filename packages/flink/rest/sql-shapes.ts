import * as z from 'zod';

/** A part of paths. */
const Handle = z.string().regex(/^[\w-]+$/);

/** `/v2/sessions` */
export const OpenedSession = z.object({ sessionHandle: Handle });

/** `/v2/sessions/:id/statements` */
export const BegunStatement = z.object({ operationHandle: Handle });

/** `/v2/sessions/:id/operations/:operation/result/:token`: a part of what a statement answers. */
export const StatementResult = z
  .object({
    /** `NOT_READY` while it is carried out, `EOS` behind the last part. */
    resultType: z.string(),
    /** Of the job that it made. */
    jobID: z.string().nullish(),
    nextResultUri: z.string().nullish(),
    results: z
      .object({
        columns: z.array(z.object({ name: z.string(), logicalType: z.object({ type: z.string() }) })),
        data: z.array(
          z.object({
            kind: z.enum(['INSERT', 'UPDATE_BEFORE', 'UPDATE_AFTER', 'DELETE']),
            fields: z.array(z.unknown()),
          }),
        ),
      })
      .nullish(),
  })
  .transform(({ resultType, jobID, nextResultUri, results }) => ({
    isReady: resultType !== 'NOT_READY',
    isEnd: resultType === 'EOS',
    jobId: jobID ?? undefined,
    next: /\/result\/(\d+)/.exec(nextResultUri ?? '')?.[1],
    columns: (results?.columns ?? []).map(({ name, logicalType: { type } }) => ({ name, type })),
    rows: (results?.data ?? []).map(({ kind, fields: values }) => ({ kind, values })),
  }));
export type StatementResult = z.output<typeof StatementResult>;
