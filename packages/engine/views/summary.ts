import type { ApplicationReport, AppStats } from 'headgate/driver-kit';
import { trackingUrl } from 'headgate/driver-kit';
import { rounded } from '../layout/statistics.js';
import { attemptId } from '../model/ids.js';
import { monotonicMillis, windowId } from '../model/windows.js';
import type { ApplicationRecord } from '../store/record.js';
import { smallestId } from './logical.js';
import { criticalPathOf, latenciesOf } from './physical.js';
import type { ViewedApplication, ViewedState } from './viewed-application.js';

export function reportOf(
  record: ApplicationRecord,
  running: ViewedState | undefined,
  now: number,
): ApplicationReport {
  const isOver = record.finalStatus !== 'UNDEFINED';
  const live = running?.slots.flatMap(({ agent, memoryMB }) => (agent ? [memoryMB] : [])) ?? [];
  return {
    id: record.id,
    name: record.name,
    queue: record.queue,
    user: record.user,
    state: record.state,
    finalStatus: record.finalStatus,
    startedTime: record.startedTime,
    finishedTime: record.finishedTime,
    elapsedTime: (isOver ? record.finishedTime : now) - record.startedTime,
    diagnostics: isOver || !running ? record.diagnostics : diagnosticsOf(running, now),
    trackingUrl: trackingUrl(record.id, !isOver && record.state === 'RUNNING'),
    applicationType: 'Headgate',
    currentAttemptId: attemptId(record.id),
    runningContainers: isOver ? -1 : live.length + 1,
    allocatedMB: isOver ? -1 : live.reduce((sum, memory) => sum + memory, 0),
    allocatedVCores: isOver ? -1 : live.length + 1,
    ...(record.packageSource ? { appPackageSource: record.packageSource } : {}),
    isSystemApp: record.isSystemApp,
    ...(record.failure ? { failure: record.failure } : {}),
    observedAt: now,
  };
}

/** A stop takes as long as what is under way needs; nothing else shows that it was asked for. */
function diagnosticsOf({ stoppingSince, operators }: ViewedState, now: number): string {
  if (stoppingSince === undefined) return '';
  const left = operators.filter(({ finalWindow }) => finalWindow === undefined).length;
  const seconds = Math.round((now - stoppingSince) / 1000);
  return `Shutting down for ${seconds} s: inputs have ended, ${left} of ${operators.length} operators still work`;
}

/** How far the slowest of those that are not done is behind the clock. Windows are never done before they are over. */
function lagOf({ operators, clock }: ViewedState): number {
  const windows = operators.flatMap(({ active, finalWindow, statistics, recoveryWindow }) =>
    active && finalWindow === undefined ? [Math.max(statistics.window, recoveryWindow)] : [],
  );
  if (windows.length === 0) return 0;
  const over = clock.monotonicMillis + (Math.min(...windows) + 1) * clock.widthMillis;
  return Math.max(0, Math.round(monotonicMillis() - over));
}

export function statsOf(application: ViewedApplication): AppStats {
  const { state } = application;
  const { operators, slots, clock } = state;
  const latencies = latenciesOf(state);
  const critical = criticalPathOf(state, latencies);
  const live = slots.filter(({ agent }) => agent);
  const sum = (of: (operator: (typeof operators)[number]) => number) =>
    rounded(operators.reduce((total, operator) => total + of(operator), 0));
  const memory = (among: typeof slots) => among.reduce((total, { memoryMB }) => total + memoryMB, 0);
  return {
    latency: rounded(critical.millis),
    lag: lagOf(state),
    plannedContainers: slots.length,
    failedContainers: application.failedContainers,
    allocatedContainers: live.length,
    numOperators: operators.length,
    windowStartMillis: clock.epochMillis,
    criticalPath: [...critical.path],
    currentWindowId: smallestId(
      operators.map(({ statistics, recoveryWindow }) =>
        windowId(clock, Math.max(statistics.window, recoveryWindow)),
      ),
    ),
    recoveryWindowId: smallestId(operators.map(({ recoveryWindow }) => windowId(clock, recoveryWindow))),
    tuplesProcessedPSMA: sum(({ statistics }) => statistics.rate('input')),
    totalTuplesProcessed: sum(({ statistics }) => statistics.total('input')),
    tuplesEmittedPSMA: sum(({ statistics }) => statistics.rate('output')),
    totalTuplesEmitted: sum(({ statistics }) => statistics.total('output')),
    totalMemoryAllocated: memory(live),
    memoryRequired: memory(slots) - memory(live),
    totalVCoresAllocated: live.length,
    vcoresRequired: slots.length - live.length,
    totalBufferServerReadBytesPSMA: sum(({ statistics }) => statistics.byteRate('input')),
    totalBufferServerWriteBytesPSMA: sum(({ statistics }) => statistics.byteRate('output')),
  };
}
