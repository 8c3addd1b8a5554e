import type { Logger } from 'headgate/driver-kit';
import type { JobRecords, KeptSavepoint } from './records.js';

/** Savepoints that were ordered here, by job, and those that were deleted here. */
export interface SavepointBook {
  of(jobId: string): readonly KeptSavepoint[];
  /** The one that it was stopped with last. */
  stopOf(jobId: string): KeptSavepoint | undefined;
  deletedOf(jobId: string): ReadonlySet<string>;
  /** Those of which nothing is known yet, with their jobs. */
  open(): (readonly [jobId: string, savepoint: KeptSavepoint])[];
  /** In place of what was known of it. Resolves when it is kept, or when that failed: it is made all the same. */
  keep(jobId: string, savepoint: KeptSavepoint): Promise<void>;
  /** `mark`: how Flink's history goes on telling of it. Rejects when that is not kept. */
  forget(jobId: string, savepointId: string, mark: string | undefined): Promise<void>;
}

export const isOpen = ({ endedAt }: KeptSavepoint): boolean => endedAt === undefined;

export function createSavepointBook(deps: {
  readonly records: JobRecords;
  readonly logger: Logger;
  /** Savepoints of one job; those that were ordered first go first. */
  readonly limit: number;
}): SavepointBook {
  const { records, logger, limit } = deps;
  const of = (jobId: string) => records.get(jobId)?.savepoints ?? [];
  return {
    of,
    stopOf: (jobId) => of(jobId).findLast(({ isOfStop }) => isOfStop),
    deletedOf: (jobId) => new Set(records.get(jobId)?.deleted),
    open: () =>
      [...records.all()].flatMap(([jobId, { savepoints = [] }]) =>
        savepoints.filter(isOpen).map((savepoint) => [jobId, savepoint] as const),
      ),
    async keep(jobId, savepoint) {
      const others = of(jobId).filter(({ trigger }) => trigger !== savepoint.trigger);
      const savepoints = [...others, savepoint].toSorted((a, b) => a.orderedAt - b.orderedAt);
      await records
        .put(jobId, { savepoints: savepoints.slice(-limit) })
        .catch((err: unknown) =>
          logger.error(
            { event: 'application.savepoint_not_saved', err, appId: jobId, location: savepoint.location },
            'Where the savepoint of a job is can not be kept',
          ),
        );
    },
    forget: (jobId, savepointId, mark) =>
      records.put(jobId, {
        savepoints: of(jobId).filter(({ trigger }) => trigger !== savepointId),
        ...(mark === undefined
          ? {}
          : { deleted: [...(records.get(jobId)?.deleted ?? []), mark].slice(-limit) }),
      }),
  };
}
