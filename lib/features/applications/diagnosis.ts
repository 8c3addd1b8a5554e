import { may } from '../../http/principal.js';
import type { Call } from '../../http/route.js';
import type { Clock } from '../../interfaces/clock.js';
import type { Issue, RootCause } from '../../model/applications.js';
import { NotFound } from '../../model/errors.js';
import { logOf } from './cause-log.js';
import { type Directory, undefinedIfAbsent } from './directory.js';
import { hasEnded } from './filter.js';
import { issuesOf, type Situation } from './issues.js';
import { createProgressBook } from './progress.js';
import { firstCause, rootCauseOf } from './root-cause.js';

/** What is wrong with an application, or was. */
export interface Diagnosis {
  /**
   * The last lines that were logged are shown to those with the permission VIEW_LOGS. Rejects with `NotFound` for an
   * application that has not failed.
   */
  failureRootCause(call: Call, appId: string): Promise<RootCause>;
  /** Of an application that has ended there are none. */
  issues(call: Call, appId: string): Promise<Issue[]>;
}

/** Newest events that a root cause is looked for in. */
const eventsRead = 100;

export function createDiagnosis(deps: { directory: Directory; clock: Clock }): Diagnosis {
  const { directory, clock } = deps;
  const progress = createProgressBook();

  async function look(appId: string, signal: AbortSignal): Promise<Situation['seen']> {
    const seen = await directory
      .ask(appId, signal, async (master, options) => {
        const [info, plan, containers, told] = await Promise.all([
          master.info(options),
          master.physicalPlan(options),
          master.containers(options),
          master.issues?.(options),
        ]);
        return { info, operators: plan.operators, containers, told: told ?? [] };
      })
      .catch(undefinedIfAbsent);
    const stats = seen?.info.stats;
    if (!seen || !stats) return undefined;
    return { ...seen, progress: progress.look(appId, clock.now(), { stats, operators: seen.operators }) };
  }

  return {
    async failureRootCause(call, appId) {
      const { report } = await directory.find(call, appId);
      if (report.finalStatus !== 'FAILED') throw new NotFound('failure of the application', appId);
      const mayReadLogs = may(call.user, 'VIEW_LOGS');
      // Without a master that answers, what the cluster says is an answer too.
      const told = await directory
        .ask(appId, call.signal, async (master, options) => {
          const events = (await master.events?.read({ offset: 0, limit: eventsRead }, options)) ?? [];
          const failure = report.failure ?? firstCause(events) ?? (await master.failure?.(options));
          const log = failure && mayReadLogs ? await logOf(master.logs, failure, events, options) : [];
          return { events, failure: failure && { ...failure, log } };
        })
        .catch(undefinedIfAbsent);
      const { events = [], failure = report.failure } = told ?? {};
      const shown = failure && { ...failure, log: mayReadLogs ? (failure.log ?? []) : [] };
      return rootCauseOf({ ...report, ...(shown ? { failure: shown } : {}) }, events);
    },

    async issues(call, appId) {
      const { report } = await directory.find(call, appId);
      if (hasEnded(report)) return [];
      const seen = await look(appId, call.signal);
      return issuesOf({ now: clock.now(), report, ...(seen ? { seen } : {}) });
    },
  };
}
