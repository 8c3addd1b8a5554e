import type { Clock } from '../../interfaces/clock.js';
import type { ApplicationReport } from '../../interfaces/cluster.js';
import { undefinedIfUnknown } from '../../model/errors.js';
import type { AskResourceManager } from '../../runtime/resource-manager-calls.js';
import { singleFlight } from '../../runtime/single-flight.js';

/** What the cluster says of applications, for who asks often: one call to it serves all topics of a tick. */
export interface ReportCache {
  /** Applications that have not ended, as of at most `maxAgeMillis` ago. */
  active(maxAgeMillis: number): Promise<readonly ApplicationReport[]>;
  /** Of one application, from the same call while it has not ended; `undefined` when it is unknown. */
  report(appId: string, maxAgeMillis: number): Promise<ApplicationReport | undefined>;
}

export function createReportCache(askManager: AskResourceManager, clock: Clock): ReportCache {
  const active = singleFlight(clock, () =>
    askManager(undefined, async (resourceManager, options) => {
      const reports = await resourceManager.listApplications({ ...options, activeOnly: true });
      return new Map(
        reports.flatMap((report) => (report.finalStatus === 'UNDEFINED' ? [[report.id, report]] : [])),
      );
    }),
  );

  return {
    active: async (maxAgeMillis) => [...(await active.get(maxAgeMillis)).values()],

    async report(appId, maxAgeMillis) {
      const found = (await active.get(maxAgeMillis)).get(appId);
      if (found) return found;
      return askManager(undefined, (resourceManager, options) =>
        resourceManager.getApplication(appId, options),
      ).catch(undefinedIfUnknown);
    },
  };
}
