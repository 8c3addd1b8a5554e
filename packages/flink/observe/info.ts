import type { AppStats, LogicalOperator, MasterInfo, PhysOperator } from 'headgate/driver-kit';
import type { Allocation } from '../jobs/reports.js';
import type { Job } from '../rest/job-shapes.js';
import { sumIfKnown } from './counters.js';

/** `execution`: how the job was set up, as `/jobs/:id/config` tells it. */
export function infoOf(told: {
  readonly version: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly logical: readonly LogicalOperator[];
  readonly stats: AppStats;
}): MasterInfo {
  return {
    appPath: '',
    appMasterTrackingUrl: '',
    version: told.version,
    gatewayAddress: '',
    connectedToThisGateway: false,
    dataSources: [],
    metrics: Object.fromEntries(
      told.logical.flatMap(({ name, counters = {} }) =>
        Object.keys(counters).length === 0 ? [] : [[name, averages(counters)]],
      ),
    ),
    attributes: told.attributes,
    stats: told.stats,
  };
}

const averages = (counters: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(counters).map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null && 'avg' in value ? value.avg : value,
    ]),
  );

export function attributesOf(
  job: Job,
  execution: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { 'user-config': user, ...settings } = execution;
  return {
    ...(typeof user === 'object' && user !== null ? user : {}),
    ...settings,
    ...(job['job-type'] === '' ? {} : { 'job-type': job['job-type'] }),
    ...(job.schedulerType ? { schedulerType: job.schedulerType } : {}),
    ...(job['application-id'] ? { 'application-id': job['application-id'] } : {}),
  };
}

/** `allocation`: undefined when it holds no slots; `checkpointAge`: milliseconds, undefined when there is none. */
export function statsOf(
  operators: readonly PhysOperator[],
  allocation: Allocation | undefined,
  checkpointAge: number | undefined,
): AppStats {
  const sum = (of: (one: PhysOperator) => number | undefined) => sumIfKnown(operators.map(of));
  const lags = operators.flatMap(({ counters }) => {
    const lag = counters?.['watermarkLagMs'];
    return typeof lag === 'number' ? [lag] : [];
  });
  return {
    ...(lags.length > 0 ? { lag: Math.max(...lags) } : {}),
    ...(checkpointAge === undefined ? {} : { checkpointAge }),
    allocatedContainers: allocation?.taskManagers ?? 0,
    numOperators: operators.length,
    criticalPath: [],
    tuplesProcessedPSMA: sum(({ tuplesProcessedPSMA }) => tuplesProcessedPSMA),
    totalTuplesProcessed: sum(({ totalTuplesProcessed }) => totalTuplesProcessed),
    tuplesEmittedPSMA: sum(({ tuplesEmittedPSMA }) => tuplesEmittedPSMA),
    totalTuplesEmitted: sum(({ totalTuplesEmitted }) => totalTuplesEmitted),
    totalMemoryAllocated: allocation?.memoryMB ?? 0,
    totalVCoresAllocated: allocation?.cpuCores ?? 0,
  };
}
