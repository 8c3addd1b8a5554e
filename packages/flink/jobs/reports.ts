import type { ApplicationReport } from 'headgate/driver-kit';
import { trackingUrl } from 'headgate/driver-kit';
import type { JobSummary } from '../rest/job-shapes.js';
import type { Seen } from '../rest/polled.js';
import { hasEnded, statesOf } from './states.js';

/** What a job holds of the cluster's slots. */
export interface Allocation {
  readonly taskManagers: number;
  readonly memoryMB: number;
  readonly cpuCores: number;
}

/** There are no queues in Flink: all its slots are one. */
export const queueName = 'slots';

/** `allocation`: undefined when it is not known. */
export function reportOf(
  { value: job, at }: Seen<JobSummary>,
  { user, allocation }: { readonly user: string; readonly allocation: Allocation | undefined },
): ApplicationReport {
  const states = statesOf(job.state);
  const isOver = hasEnded(states);
  const held = isOver ? undefined : allocation;
  const startedTime = job['start-time'] ?? 0;
  const finishedTime = isOver ? Math.max(startedTime, job['end-time'] ?? at) : 0;
  return {
    id: job.jid,
    name: job.name,
    queue: queueName,
    user,
    ...states,
    clusterState: job.state,
    startedTime,
    finishedTime,
    elapsedTime: startedTime === 0 ? 0 : Math.max(0, (isOver ? finishedTime : at) - startedTime),
    diagnostics: '',
    trackingUrl: trackingUrl(job.jid, false),
    applicationType: 'Flink',
    currentAttemptId: '',
    runningContainers: held?.taskManagers ?? -1,
    allocatedMB: held?.memoryMB ?? -1,
    allocatedVCores: held?.cpuCores ?? -1,
    isSystemApp: false,
    observedAt: at,
  };
}
