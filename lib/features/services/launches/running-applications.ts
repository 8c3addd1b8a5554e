import type { Clock } from '../../../interfaces/clock.js';
import type { ApplicationReport, ClusterDriver } from '../../../interfaces/cluster.js';
import { TimedOut, undefinedIfUnknown } from '../../../model/errors.js';
import { createResourceManagerCalls } from '../../../runtime/resource-manager-calls.js';
import { singleFlight } from '../../../runtime/single-flight.js';

/** Applications of the cluster, as far as services need to know. */
export interface RunningApplications {
  /** `undefined` for one that has ended, or is unknown. Rejects when it can't be found out. */
  stateOf(appId: string): Promise<string | undefined>;
  /**
   * Those that have ended, or are unknown; what can't be found out is left out. Asks for the list once, and nothing more
   * once a question is not answered in time. Rejects only with the reason of the signal.
   */
  endedAmong(appIds: readonly string[], signal: AbortSignal): Promise<readonly string[]>;
}

export function createRunningApplications(deps: {
  cluster: ClusterDriver;
  clock: Clock;
  /** For the resource manager. */
  millis: number;
}): RunningApplications {
  const askManager = createResourceManagerCalls(deps.cluster.resourceManager, deps.millis);
  const list = (outer?: AbortSignal) =>
    askManager(outer, (manager, options) => manager.listApplications({ ...options, activeOnly: true }));
  const report = (appId: string, outer?: AbortSignal) =>
    askManager(outer, (manager, options) => manager.getApplication(appId, options)).catch(undefinedIfUnknown);
  const active = singleFlight(deps.clock, () => list());

  return {
    async stateOf(appId) {
      const found = (await active.get(1000)).find(({ id }) => id === appId) ?? (await report(appId));
      return runs(found) ? found.state : undefined;
    },

    async endedAmong(appIds, signal) {
      const ended: string[] = [];
      try {
        const listed = new Map((await list(signal)).map((one) => [one.id, one]));
        for (const appId of appIds) {
          signal.throwIfAborted();
          const found = listed.get(appId) ?? (await report(appId, signal).catch(laterUnlessTimedOut));
          if (found !== 'later' && !runs(found)) ended.push(appId);
        }
      } catch {
        // Another time.
      }
      signal.throwIfAborted();
      return ended;
    },
  };
}

function runs(report: ApplicationReport | undefined): report is ApplicationReport {
  return report?.finalStatus === 'UNDEFINED';
}

/** What fails for one application at once does not keep the others from being looked at. */
function laterUnlessTimedOut(error: unknown): 'later' {
  if (error instanceof TimedOut) throw error;
  return 'later';
}
