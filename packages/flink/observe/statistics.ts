import { createStatsRecorder, type StatsLimits, type StatsRecorder, statsReader } from '@headgate/history';
import { type Clock, GatewayError, type StatsReader } from 'headgate/driver-kit';
import { hasEnded, statesOf } from '../jobs/states.js';
import { isHexId } from '../rest/values.js';
import type { Observer } from './observer.js';

/** What jobs measured over time, in part files: Flink keeps nothing of it. */
export interface Statistics {
  /** Recorded from now on, until it ends; as many jobs at once as the limit says, and no more. */
  of(jobId: string, isOver: boolean): StatsReader;
  uses(jobId: string): boolean;
  close(): Promise<void>;
}

export function createStatistics(deps: {
  readonly folderOf: (jobId: string) => string;
  readonly observer: Pick<Observer, 'look' | 'containers'>;
  readonly clock: Clock;
  readonly limits: StatsLimits & { readonly statsJobs: number; readonly statsEveryMillis: number };
  /** For what the disk refuses. */
  readonly onProblem: (error: unknown) => void;
}): Statistics {
  const { observer, limits, folderOf } = deps;
  const recorders = new Map<string, StatsRecorder>();

  // While the JobManager does not answer there is nothing to record, and others say so.
  function onProblem(error: unknown): void {
    if (!(error instanceof GatewayError)) deps.onProblem(error);
  }

  function record(jobId: string): void {
    if (recorders.has(jobId) || recorders.size >= limits.statsJobs) return;
    const recorder = createStatsRecorder(folderOf(jobId), {
      ...limits,
      everyMillis: limits.statsEveryMillis,
      now: () => deps.clock.now(),
      onProblem,
    });
    recorders.set(jobId, recorder);
    recorder.watch({
      containers: async () => (await observer.containers(jobId)).filter(({ state }) => state === 'ACTIVE'),
      async operators() {
        const { view, operators } = await observer.look(jobId);
        if (hasEnded(statesOf(view.job.state))) void stop(jobId);
        return operators;
      },
    });
  }

  async function stop(jobId: string): Promise<void> {
    const recorder = recorders.get(jobId);
    recorders.delete(jobId);
    await recorder?.close();
  }

  return {
    of(jobId, isOver) {
      if (!isOver && isHexId(jobId)) record(jobId);
      return statsReader(folderOf(jobId), {
        applicationId: jobId,
        isOver,
        settled: async () => recorders.get(jobId)?.settled(),
      });
    },
    uses: (jobId) => recorders.has(jobId),
    async close() {
      await Promise.all([...recorders.keys()].map(stop));
    },
  };
}
