import * as z from 'zod';

/** What the answer to an order holds that is carried out later. */
export const Ordered = z.object({ 'request-id': z.string() });

/**
 * `/jobs/:id/savepoints/:trigger`, of a stop too, and `/savepoint-disposal/:trigger`, which has no location.
 */
export const OperationStatus = z.object({
  /** `IN_PROGRESS` or `COMPLETED`, which a failure is as well. */
  status: z.object({ id: z.string() }),
  operation: z
    .object({
      location: z.string().nullish(),
      'failure-cause': z.object({ 'stack-trace': z.string().nullish() }).nullish(),
    })
    .nullish(),
});
export type OperationStatus = z.output<typeof OperationStatus>;
