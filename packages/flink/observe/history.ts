import { join } from 'node:path';
import type { StatsLimits } from '@headgate/history';
import type { Clock } from 'headgate/driver-kit';
import { createEventLog, type EventLog } from './event-log.js';
import type { Observer } from './observer.js';
import { removeOldFolders } from './old-folders.js';
import { createStatistics, type Statistics } from './statistics.js';

/** What is kept of jobs on this machine, a folder for each: Flink keeps little of it, or nothing. */
export interface History {
  readonly statistics: Statistics;
  readonly eventLog: EventLog;
  close(): Promise<void>;
}

export function openHistory(deps: {
  readonly directory: string;
  readonly observer: Pick<Observer, 'look' | 'containers'>;
  readonly clock: Clock;
  readonly limits: StatsLimits & {
    readonly statsJobs: number;
    readonly statsEveryMillis: number;
    readonly events: number;
    readonly eventBytes: number;
  };
  /** For what the disk refuses. */
  readonly onProblem: (error: unknown) => void;
}): History {
  const { directory, clock, limits, onProblem } = deps;
  const folderOf = (jobId: string) => join(directory, jobId);
  const statistics = createStatistics({ ...deps, folderOf });
  const eventLog = createEventLog({ folderOf, limits, onProblem });
  const close = removeOldFolders({
    ...{ directory, clock, onProblem },
    keptMillis: limits.statsMillis,
    isInUse: (jobId) => statistics.uses(jobId) || eventLog.uses(jobId),
  });
  return {
    statistics,
    eventLog,
    async close() {
      await Promise.all([close(), statistics.close(), eventLog.close()]);
    },
  };
}
