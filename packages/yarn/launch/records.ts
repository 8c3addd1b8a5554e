import {
  type ApplicationReport,
  AppPackageSource,
  collection,
  type Logger,
  type Storage,
} from 'headgate/driver-kit';
import * as z from 'zod';

const Record = z.object({
  user: z.string(),
  launchedAt: z.number(),
  isSystemApp: z.boolean(),
  packageSource: AppPackageSource.exactOptional(),
  /** The name that its engine logs in with. */
  credential: z.string().exactOptional(),
});
type LaunchRecord = z.output<typeof Record>;

/**
 * What the cluster can't tell of applications that this gateway launched: all of them run as the cluster's user, and of
 * the package it knows only a part.
 */
export interface LaunchRecords {
  add(appId: string, record: LaunchRecord): Promise<void>;
  get(appId: string): LaunchRecord | undefined;
  /** The report with what is known besides. */
  complete(report: ApplicationReport): ApplicationReport;
}

/** The oldest are forgotten beyond. */
const maxRecords = 20_000;

export async function openLaunchRecords(storage: Storage, logger: Logger): Promise<LaunchRecords> {
  const kept = collection(storage.documents, 'yarn-launches', Record);
  const known = new Map<string, LaunchRecord>();
  for await (const { key, value } of kept.entries()) known.set(key, value);
  /** Those that the storage did not take: tried again whenever somebody looks, for nothing else knows whose they are. */
  const unwritten = new Set<string>();

  async function write(appId: string, record: LaunchRecord): Promise<void> {
    unwritten.delete(appId);
    try {
      await kept.put(appId, record);
    } catch (error) {
      unwritten.add(appId);
      throw error;
    }
  }

  return {
    async add(appId, record) {
      known.set(appId, record);
      await write(appId, record);
      const [oldest] = known.keys();
      if (known.size <= maxRecords || oldest === undefined) return;
      known.delete(oldest);
      await kept.remove(oldest).catch((err: unknown) => {
        logger.warn(
          { event: 'application.launch_record_not_removed', err, appId: oldest },
          'The record of an old launch can not be removed',
        );
      });
    },
    get: (appId) => known.get(appId),
    complete(report) {
      const record = known.get(report.id);
      if (!record) return report;
      if (unwritten.has(report.id)) void write(report.id, record).catch(() => {});
      const { packageSource } = record;
      return {
        ...report,
        user: record.user,
        isSystemApp: record.isSystemApp,
        ...(packageSource ? { appPackageSource: packageSource } : {}),
      };
    },
  };
}
