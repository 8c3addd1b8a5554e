import type { ClusterMetrics } from 'headgate/driver-kit';
import { rounded } from '../layout/statistics.js';
import type { ApplicationRecord } from '../store/record.js';
import { statsOf } from './summary.js';
import type { ViewedApplication } from './viewed-application.js';

export function clusterMetrics(
  running: readonly ViewedApplication[],
  ended: readonly ApplicationRecord[],
  facts: {
    readonly now: number;
    readonly memoryMB: number;
    readonly cores: number;
    readonly submitted: number;
  },
): ClusterMetrics {
  const active = running.filter(({ state }) => state.record.state === 'RUNNING');
  const stats = running.map(statsOf);
  const count = (state: ApplicationRecord['state']) =>
    ended.filter((record) => record.state === state).length;
  const sum = (values: readonly number[]) => rounded(values.reduce((total, value) => total + value, 0));
  const cpu = running.flatMap(({ state }) =>
    state.operators.map(({ statistics }) => statistics.cpuPercentage),
  );
  return {
    averageAge:
      active.length === 0
        ? 0
        : rounded(sum(active.map(({ state }) => facts.now - state.record.startedTime)) / active.length),
    cpuPercentage: rounded(sum(cpu) / facts.cores),
    currentMemoryAllocatedMB: sum(stats.map(({ totalMemoryAllocated }) => totalMemoryAllocated)),
    maxMemoryAllocatedMB: facts.memoryMB,
    numAppsFailed: count('FAILED'),
    numAppsFinished: count('FINISHED'),
    numAppsKilled: count('KILLED'),
    numAppsPending: running.length - active.length,
    numAppsRunning: active.length,
    numAppsSubmitted: facts.submitted,
    numContainers: sum(stats.map(({ allocatedContainers }) => allocatedContainers)) + running.length,
    numOperators: sum(stats.map(({ numOperators }) => numOperators)),
    tuplesEmittedPSMA: sum(stats.map(({ tuplesEmittedPSMA = 0 }) => tuplesEmittedPSMA)),
    tuplesProcessedPSMA: sum(stats.map(({ tuplesProcessedPSMA = 0 }) => tuplesProcessedPSMA)),
  };
}
