import type { Principal } from '../../http/principal.js';
import type { Call } from '../../http/route.js';
import type { CallOptions } from '../../interfaces/call-options.js';
import type { Clock } from '../../interfaces/clock.js';
import type { ApplicationReport, ClusterDriver } from '../../interfaces/cluster.js';
import type { Master, MasterInfo } from '../../interfaces/master.js';
import { type Access, accessByShare, stronger } from '../../model/acl.js';
import type { ApplicationFilter } from '../../model/applications.js';
import {
  Conflict,
  DamagedDocument,
  Forbidden,
  NotFound,
  TimedOut,
  Unreachable,
  UnusableAnswer,
  undefinedIfUnknown,
} from '../../model/errors.js';
import type { Timeouts } from '../../model/timeouts.js';
import { mapLimited } from '../../runtime/map-limited.js';
import { singleFlight } from '../../runtime/single-flight.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import { accessByRight } from './access.js';
import type { AccessRules } from './access-rules.js';
import { asksForActive, hasEnded, matchesFilter } from './filter.js';

interface Found {
  readonly report: ApplicationReport;
  readonly access: Exclude<Access, 'none'>;
}

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

/** The applications of the cluster, as each caller may see them. */
export interface Directory extends Applications {
  /** Those the caller may see among those that pass the filter. */
  visible(call: Call, filter: ApplicationFilter): Promise<Found[]>;
  find(call: Call, appId: string): Promise<Found>;
  findToChange(call: Call, appId: string): Promise<Found>;
  ask<T>(appId: string, signal: AbortSignal | undefined, question: Question<T>, millis?: number): Promise<T>;
  /** What the master tells of itself; `undefined` when none answers. */
  infoOf(appId: string, signal: AbortSignal): Promise<MasterInfo | undefined>;
  /** Applications that have not ended, as of at most `maxAgeMillis` ago: one call to the cluster for all topics of a tick. */
  active(maxAgeMillis: number): Promise<readonly ApplicationReport[]>;
  /** Of one application, from the same call while it has not ended; `undefined` when it is unknown. */
  report(appId: string, maxAgeMillis: number): Promise<ApplicationReport | undefined>;
}

/** Permissions read at once for one list. */
export const readsAtOnce = 16;

export function createDirectory(deps: {
  cluster: ClusterDriver;
  rules: AccessRules;
  clock: Clock;
  timeouts: Pick<Timeouts, 'resourceManagerMillis' | 'masterMillis'>;
}): Directory {
  const { cluster, rules, timeouts } = deps;
  const { resourceManager } = cluster;

  const askManager = <T>(signal: AbortSignal | undefined, work: (options: CallOptions) => Promise<T>) =>
    withTimeout(timeouts.resourceManagerMillis, 'The resource manager', signal, (limited) =>
      work({ signal: limited }),
    );

  const activeNow = singleFlight(deps.clock, () =>
    askManager(undefined, async (options) => {
      const reports = await resourceManager.listApplications({ ...options, activeOnly: true });
      return new Map(
        reports.flatMap((report) => (report.finalStatus === 'UNDEFINED' ? [[report.id, report]] : [])),
      );
    }),
  );

  async function accessOf(user: Principal, report: ApplicationReport, options: CallOptions): Promise<Access> {
    const byRight = accessByRight(user, report);
    if (byRight === 'write') return byRight;
    return stronger(byRight, accessByShare(user, await rules.read(report, options)));
  }

  async function find(call: Call, appId: string): Promise<Found> {
    return askManager(call.signal, async (options) => {
      const report = await resourceManager.getApplication(appId, options).catch(asIfHidden(appId));
      const access = await accessOf(call.user, report, options);
      if (access === 'none') throw new NotFound('application', appId);
      return { report, access };
    });
  }

  async function findToChange(call: Call, appId: string): Promise<Found> {
    const found = await find(call, appId);
    if (found.access === 'write') return found;
    throw new Forbidden(`The application ${JSON.stringify(appId)} is not yours to change`);
  }

  const ask = <T>(
    appId: string,
    signal: AbortSignal | undefined,
    question: Question<T>,
    millis = timeouts.masterMillis,
  ) =>
    withTimeout(millis, `The master of ${appId}`, signal, async (limited) => {
      const options = { signal: limited };
      return question(await cluster.master(appId, options), options);
    });

  async function report(appId: string, maxAgeMillis: number): Promise<ApplicationReport | undefined> {
    const found = (await activeNow.get(maxAgeMillis)).get(appId);
    if (found) return found;
    return askManager(undefined, (options) => resourceManager.getApplication(appId, options)).catch(
      undefinedIfUnknown,
    );
  }

  return {
    find,
    findToChange,
    ask,
    report,
    infoOf: (appId, signal) =>
      ask(appId, signal, (master, options) => master.info(options)).catch(undefinedIfAbsent),
    active: async (maxAgeMillis) => [...(await activeNow.get(maxAgeMillis)).values()],

    async visible(call, filter) {
      return askManager(call.signal, async (options) => {
        const all = await resourceManager.listApplications({ ...options, activeOnly: asksForActive(filter) });
        // Before any permissions are read: a long history must not cost one reading each.
        const reports = all.filter((report) => matchesFilter(report, filter));
        const found = await mapLimited(reports, readsAtOnce, async (report) => ({
          report,
          access: await accessOf(call.user, report, options).catch((error) => {
            // Rights that can't be read cost the guests of that application only.
            if (error instanceof DamagedDocument || isFault(error)) return accessByRight(call.user, report);
            throw error;
          }),
        }));
        return found.filter(isVisible);
      });
    },

    async reading(call, appId, question) {
      await find(call, appId);
      return ask(appId, call.signal, question);
    },

    async changing(call, appId, question, millis) {
      await findToChange(call, appId);
      return ask(appId, undefined, question, millis);
    },

    observing: (appId, signal, question) => ask(appId, signal, question).catch(undefinedIfUnknown),

    async requireEnded(appId) {
      const app = await report(appId, 1000);
      if (app && !hasEnded(app))
        throw new Conflict('APPLICATION_RUNNING', `The application ${appId} has not ended`);
    },

    async mayWatch(user, appId) {
      const app = await report(appId, 1000);
      return app !== undefined && isWatcher(user, app);
    },
  };
}

/** `docs/decisions.md`, Topics of an application are for who started it. */
export const isWatcher = (user: Principal, app: ApplicationReport): boolean =>
  user.userName !== '' && (user.isAdmin || app.user === user.userName);

const isVisible = (found: { report: ApplicationReport; access: Access }): found is Found =>
  found.access !== 'none';

/** What is not there gets word by word what a hidden one gets, whatever the driver says. */
const asIfHidden = (appId: string) => (error: unknown) => {
  throw error instanceof NotFound ? new NotFound('application', appId) : error;
};

/** Nobody is there to answer, as opposed to an answer that is wrong. */
export function undefinedIfAbsent(error: unknown): undefined {
  const absences = [Unreachable, TimedOut, UnusableAnswer, NotFound, Conflict];
  if (!absences.some((absence) => error instanceof absence)) throw error;
}

/** A part of the cluster that is not well. */
const isFault = (error: unknown): boolean =>
  [Unreachable, TimedOut, UnusableAnswer].some((fault) => error instanceof fault);
