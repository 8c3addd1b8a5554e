import { createStatsRecorder, type StatsLimits, type StatsRecorder, statsReader } from '@headgate/history';
import type { Master } from 'headgate/driver-kit';
import { createDeployLog, type DeployLog, deployReader } from './deployments.js';
import { type EventHistory, type EventLimits, eventReader, openEventHistory } from './events.js';
import { createMasterLog, type MasterLog, type MasterLogOptions, masterLogPath } from './master-log.js';

/** What is written down of an application while it runs. */
export interface ApplicationHistory {
  readonly events: EventHistory;
  readonly deployments: DeployLog;
  readonly stats: StatsRecorder;
  readonly log: MasterLog;
  /** Resolves when everything so far is on disk. */
  settled(): Promise<void>;
  /** Nothing is added any more. */
  end(): Promise<void>;
}

interface HistoryOptions extends EventLimits, StatsLimits, MasterLogOptions {
  /** The id of the master's container. */
  readonly masterId: string;
  readonly everyMillis: number;
  readonly now: () => number;
}

/** `application` is the directory of the application's files. */
export async function openHistory(application: string, options: HistoryOptions): Promise<ApplicationHistory> {
  const events = await openEventHistory(application, options);
  const deployments = createDeployLog(application, options.onProblem);
  const stats = createStatsRecorder(application, options);
  const log = createMasterLog(masterLogPath(application, options.masterId), options);
  return {
    events,
    deployments,
    stats,
    log,
    async settled() {
      await Promise.all([events.settled(), deployments.settled(), stats.settled(), log.settled()]);
    },
    async end() {
      await Promise.all([events.end(), deployments.settled(), stats.end(), log.end()]);
    },
  };
}

/** What the API reads of it, while the application runs and afterwards. */
export function historyFacets(
  directory: string,
  application: {
    readonly id: string;
    /** Of the plan. */
    readonly operators: () => readonly { readonly id: string; readonly name: string }[];
    /** Absent: it has ended. */
    readonly history?: ApplicationHistory;
  },
): Pick<Master, 'events' | 'stats' | 'deployHistory'> {
  const { id, operators, history } = application;
  const settled = async (what: 'events' | 'deployments' | 'stats') => history?.[what].settled();
  return {
    events: eventReader(directory, () => settled('events')),
    deployHistory: deployReader(directory, { operators, settled: () => settled('deployments') }),
    stats: statsReader(directory, {
      applicationId: id,
      isOver: history === undefined,
      settled: () => settled('stats'),
    }),
  };
}
