import * as z from 'zod';

/** `undefined` for one that is gone, or has no place that could be named. */
const SavedState = z
  .object({ id: z.number(), external_path: z.string().nullish(), discarded: z.boolean().nullish() })
  .nullish()
  .transform((saved) => {
    const path = saved?.external_path;
    return saved && path && !path.startsWith('<') && !saved.discarded ? { id: saved.id, path } : undefined;
  });
/** The one with the greater `id` is the newer one. */
export type SavedState = NonNullable<z.output<typeof SavedState>>;

/** `/jobs/:id/checkpoints`: the newest of each kind. */
export const LatestCheckpoints = z
  .object({ latest: z.object({ completed: SavedState, savepoint: SavedState }).nullish() })
  .transform(({ latest }) => latest ?? { completed: undefined, savepoint: undefined });

/** `/jobs/:id/checkpoints/config`: whether checkpoints outlive the job. */
export const CheckpointRetention = z
  .object({
    externalization: z
      .object({ enabled: z.boolean().nullish(), delete_on_cancellation: z.boolean().nullish() })
      .nullish(),
  })
  .transform(({ externalization }) => ({
    enabled: externalization?.enabled ?? false,
    isDeletedOnCancellation: externalization?.delete_on_cancellation ?? true,
  }));
