import { AppPackageSource, collection, type Logger, type Storage } from 'headgate/driver-kit';
import * as z from 'zod';

const KeptSavepoint = z.object({
  /** By which the JobManager knows the order. */
  trigger: z.string(),
  orderedAt: z.number(),
  /** Absent: nobody with a name. */
  orderedBy: z.string().exactOptional(),
  isOfStop: z.boolean(),
  /** Of a stop: the inputs ended first, so that nothing goes on from it. Absent: they did not. */
  isDrained: z.boolean().exactOptional(),
  /** Number of the newest checkpoint that had begun before. */
  after: z.number(),
  targetDirectory: z.string().exactOptional(),
  formatType: z.enum(['CANONICAL', 'NATIVE']).exactOptional(),
  /** Absent as long as nothing is known of it; so are those below, of which one is there afterwards. */
  endedAt: z.number().exactOptional(),
  location: z.string().exactOptional(),
  failure: z.string().exactOptional(),
  /** Why nobody knows what became of it. */
  lost: z.string().exactOptional(),
});
export type KeptSavepoint = z.output<typeof KeptSavepoint>;

/** All that is needed to do it again. */
const Launch = z.object({
  user: z.string(),
  name: z.string(),
  isSystemApp: z.boolean(),
  packageSource: AppPackageSource.exactOptional(),
  /** Absent: the job is written in SQL. */
  entryClass: z.string().exactOptional(),
  /** Of a kept jar, or of the kept file that an application in SQL is. */
  jar: z.string(),
  jarBytes: z.number(),
  /** Those in force. */
  properties: z.record(z.string(), z.string()),
  /** Where the state lies that the job goes on from. */
  savepoint: z.string().exactOptional(),
  askedAt: z.number(),
  /** Absent as long as nobody knows whether the JobManager took it. */
  acceptedAt: z.number().exactOptional(),
});
export type LaunchRecord = z.output<typeof Launch>;

const Record = z.object({
  changedAt: z.number(),
  launch: Launch.exactOptional(),
  savepoints: z.array(KeptSavepoint).exactOptional(),
  /** What Flink's history goes on telling of savepoints that were deleted here: their locations, or the numbers of those without. */
  deleted: z.array(z.string()).exactOptional(),
  /** The oldest first. */
  changes: z
    .array(
      z.object({
        at: z.number(),
        operatorName: z.string(),
        propertyName: z.string(),
        propertyValue: z.string(),
      }),
    )
    .exactOptional(),
});
type JobRecord = z.output<typeof Record>;

/** What this gateway did with jobs, which Flink itself does not tell, or not for long. Over restarts of the gateway. */
export interface JobRecords {
  all(): ReadonlyMap<string, JobRecord>;
  get(jobId: string): JobRecord | undefined;
  /** Resolves when it is kept. */
  put(jobId: string, change: Omit<JobRecord, 'changedAt'>): Promise<void>;
  /** Of a job that was never there. */
  remove(jobId: string): Promise<void>;
}

export async function openJobRecords(deps: {
  readonly storage: Storage;
  readonly logger: Logger;
  readonly now: () => number;
  /** Records that are kept; those that changed longest ago go first. */
  readonly limit: number;
}): Promise<JobRecords> {
  const { logger, now, limit } = deps;
  const kept = collection(deps.storage.documents, 'flink-jobs', Record);
  const entries: [string, JobRecord][] = [];
  for await (const { key, value } of kept.entries()) entries.push([key, value]);
  const known = new Map(entries.sort(([, a], [, b]) => a.changedAt - b.changedAt));

  async function forgetOldest(): Promise<void> {
    const [oldest] = known.keys();
    if (known.size <= limit || oldest === undefined) return;
    known.delete(oldest);
    await kept.remove(oldest).catch((err: unknown) => {
      logger.warn(
        { event: 'application.launch_record_not_removed', err, appId: oldest },
        'The record of an old launch can not be removed',
      );
    });
  }

  return {
    all: () => known,
    get: (jobId) => known.get(jobId),
    async put(jobId, change) {
      const record = { ...known.get(jobId), ...change, changedAt: now() };
      known.delete(jobId);
      known.set(jobId, record);
      await kept.put(jobId, record);
      await forgetOldest();
    },
    async remove(jobId) {
      known.delete(jobId);
      await kept.remove(jobId);
    },
  };
}
