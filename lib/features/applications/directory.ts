import type { Principal } from '../../http/principal.js';
import type { Call } from '../../http/route.js';
import type { CallOptions } from '../../interfaces/call-options.js';
import type { ApplicationReport, ClusterDriver } from '../../interfaces/cluster.js';
import type { Master, MasterInfo } from '../../interfaces/master.js';
import {
  Conflict,
  NotFound,
  TimedOut,
  Unreachable,
  UnusableAnswer,
  undefinedIfUnknown,
} from '../../model/errors.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import type { ApplicationLookup } from './application-lookup.js';
import { hasEnded } from './filter.js';
import type { ReportCache } from './report-cache.js';

type Question<T> = (master: Master, options: CallOptions) => Promise<T>;

/** What other rooms use: an application's master, asked for somebody, in bounded time. */
export interface Applications {
  /** Rejects with `NotFound` for what the caller may not see, as for what does not exist. */
  reading<T>(call: Call, appId: string, question: Question<T>): Promise<T>;
  /** Rejects with `Forbidden` too, for what the caller may see only. Goes on when the caller hangs up. `millis`: other than for a question. */
  changing<T>(call: Call, appId: string, question: Question<T>, millis?: number): Promise<T>;
  /** For topics, whose receivers were checked by `mayWatch`; `undefined` for an application that is unknown. */
  observing<T>(appId: string, signal: AbortSignal, question: Question<T>): Promise<T | undefined>;
  /** Rejects with `Conflict` unless the application has ended, or is unknown. */
  requireEnded(appId: string): Promise<void>;
  /** Topics of an application are for who started it, and for administrators. */
  mayWatch(user: Principal, appId: string): Promise<boolean>;
}

/** The applications of the cluster, as each caller may see them, and their masters. */
export interface Directory extends Applications, ApplicationLookup, ReportCache {
  /** Asks the master whoever asks: that the caller may was looked at before. */
  ask<T>(appId: string, signal: AbortSignal | undefined, question: Question<T>, millis?: number): Promise<T>;
  /** What the master tells of itself; `undefined` when none answers. */
  infoOf(appId: string, signal: AbortSignal): Promise<MasterInfo | undefined>;
}

/** How old a report may be by which it is decided what somebody may do, milliseconds. */
const decisionAge = 1000;

export function createDirectory(deps: {
  cluster: Pick<ClusterDriver, 'master'>;
  lookup: ApplicationLookup;
  reports: ReportCache;
  masterMillis: number;
}): Directory {
  const { cluster, lookup, reports } = deps;

  const ask = <T>(
    appId: string,
    signal: AbortSignal | undefined,
    question: Question<T>,
    millis = deps.masterMillis,
  ) =>
    withTimeout(millis, `The master of ${appId}`, signal, async (limited) => {
      const options = { signal: limited };
      return question(await cluster.master(appId, options), options);
    });

  return {
    ...lookup,
    ...reports,
    ask,
    infoOf: (appId, signal) =>
      ask(appId, signal, (master, options) => master.info(options)).catch(undefinedIfAbsent),

    async reading(call, appId, question) {
      await lookup.find(call, appId);
      return ask(appId, call.signal, question);
    },

    async changing(call, appId, question, millis) {
      await lookup.findToChange(call, appId);
      return ask(appId, undefined, question, millis);
    },

    observing: (appId, signal, question) => ask(appId, signal, question).catch(undefinedIfUnknown),

    async requireEnded(appId) {
      const app = await reports.report(appId, decisionAge);
      if (app && !hasEnded(app))
        throw new Conflict('APPLICATION_RUNNING', `The application ${appId} has not ended`);
    },

    async mayWatch(user, appId) {
      const app = await reports.report(appId, decisionAge);
      return app !== undefined && isWatcher(user, app);
    },
  };
}

/** `docs/decisions.md`, Topics of an application are for who started it. */
export const isWatcher = (user: Principal, app: ApplicationReport): boolean =>
  user.userName !== '' && (user.isAdmin || app.user === user.userName);

/** Nobody is there to answer, as opposed to an answer that is wrong. */
export function undefinedIfAbsent(error: unknown): undefined {
  const absences = [Unreachable, TimedOut, UnusableAnswer, NotFound, Conflict];
  if (!absences.some((absence) => error instanceof absence)) throw error;
}
