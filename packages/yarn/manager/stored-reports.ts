import { ApplicationState, collection, FinalStatus, type Logger, type Storage } from 'headgate/driver-kit';
import * as z from 'zod';
import type { Sighting } from './reports.js';

const Kept = z.object({
  masterNode: z.string(),
  masterLogs: z.string(),
  report: z.object({
    id: z.string(),
    name: z.string(),
    queue: z.string(),
    user: z.string(),
    state: ApplicationState,
    finalStatus: FinalStatus,
    startedTime: z.number(),
    finishedTime: z.number(),
    elapsedTime: z.number(),
    diagnostics: z.string(),
    trackingUrl: z.string(),
    applicationType: z.string(),
    currentAttemptId: z.string(),
    runningContainers: z.number(),
    allocatedMB: z.number(),
    allocatedVCores: z.number(),
    isSystemApp: z.boolean(),
    observedAt: z.number(),
  }),
});

/** What was last seen of applications, over restarts of the gateway: a manager forgets, and nothing else tells how one ended. */
export interface StoredReports {
  /** As of the start. */
  readonly earlier: readonly Sighting[];
  /** Written soon, when it tells something new: another state or attempt. */
  keep(sighting: Sighting): void;
  drop(appId: string): void;
  /** Resolves when all is written. */
  close(): Promise<void>;
}

export async function openStoredReports(storage: Storage, logger: Logger): Promise<StoredReports> {
  const kept = collection(storage.documents, 'yarn-applications', Kept);
  const written = new Map<string, string>();
  const earlier: Sighting[] = [];
  for await (const { value } of kept.entries()) {
    earlier.push(value);
    written.set(value.report.id, markOf(value));
  }
  /** `undefined`: to be removed. */
  const waiting = new Map<string, Sighting | undefined>();
  let writing: Promise<void> | undefined;

  /** One at a time, the newest of each. */
  async function write(): Promise<void> {
    for (const [id, sighting] of waiting) {
      waiting.delete(id);
      const done = sighting ? kept.put(id, Kept.parse(sighting)) : kept.remove(id);
      await done.catch((err: unknown) => {
        logger.warn(
          { event: 'application.sighting_not_saved', err, appId: id },
          'What was seen of an application can not be kept',
        );
        // The next look tries it again.
        if (sighting && written.get(id) === markOf(sighting)) written.delete(id);
      });
    }
  }

  function change(id: string, sighting: Sighting | undefined): void {
    waiting.set(id, sighting);
    writing ??= write().finally(() => {
      writing = undefined;
    });
  }

  return {
    earlier,
    keep(sighting) {
      const { id } = sighting.report;
      const mark = markOf(sighting);
      if (written.get(id) === mark) return;
      written.set(id, mark);
      change(id, sighting);
    },
    drop(appId) {
      if (written.delete(appId)) change(appId, undefined);
    },
    close: async () => writing,
  };
}

const markOf = ({ report }: Sighting): string => `${report.state} ${report.currentAttemptId}`;
