import { withoutSecrets } from '../../formats/secret-names.js';
import type { ApplicationReport } from '../../interfaces/cluster.js';
import type { MasterInfo } from '../../interfaces/master.js';
import type { Access } from '../../model/acl.js';
import type {
  AppDetail,
  ApplicationSnapshot,
  AppStats,
  ListedApplication,
  Metric,
} from '../../model/applications.js';
import type { LicenseHeadroom } from '../licenses/service.js';
import { hasEnded } from './filter.js';
import { lagOf, windowMillisOf } from './lag.js';

export const listed = (report: ApplicationReport): ListedApplication => ({
  id: report.id,
  name: report.name,
  queue: report.queue,
  state: report.state,
  finalStatus: report.finalStatus,
  startedTime: report.startedTime,
  finishedTime: report.finishedTime,
  elapsedTime: report.elapsedTime,
  diagnostics: report.diagnostics,
  trackingUrl: report.trackingUrl,
  user: report.user,
  applicationType: report.applicationType,
  currentAttemptId: report.currentAttemptId,
  runningContainers: report.runningContainers,
  allocatedMB: report.allocatedMB,
  allocatedVCores: report.allocatedVCores,
  isSystemApp: report.isSystemApp ?? false,
  ...clusterStateOf(report),
  observedAt: report.observedAt,
});

const clusterStateOf = ({ clusterState }: ApplicationReport) =>
  clusterState === undefined ? {} : { clusterState };

/** Without `info` (no master answers) what only a master can tell is empty, never made up. */
export function detailOf(
  report: ApplicationReport,
  info: MasterInfo | undefined,
  access: Access,
  { isLocked, remainingMB }: LicenseHeadroom,
  ownAddress = '',
): AppDetail {
  return {
    ...listed(report),
    canWrite: access === 'write',
    appPath: info?.appPath ?? '',
    gatewayAddress: info?.gatewayAddress || (info?.connectedToThisGateway ? ownAddress : ''),
    gatewayConnected: info?.gatewayConnected ?? false,
    ...(remainingMB === undefined ? {} : { remainingLicensedMB: remainingMB }),
    launchDisabled: isLocked,
    connectedToThisGateway: info?.connectedToThisGateway ?? false,
    appMasterTrackingUrl: info?.appMasterTrackingUrl ?? '',
    version: info?.version ?? '',
    appDataSources: [...(info?.dataSources ?? [])],
    attributes: withoutSecrets(info?.attributes ?? {}),
    stats: statsOf(report, info),
    ...(info && Object.keys(info.metrics).length > 0 ? { metrics: info.metrics } : {}),
    ...(report.appPackageSource ? { appPackageSource: report.appPackageSource } : {}),
  };
}

export const snapshotOf = (report: ApplicationReport, info: MasterInfo | undefined): ApplicationSnapshot => ({
  // What conditions read of a running application is not there any more: none of them is about its last figures.
  ...(hasEnded(report) ? undefined : statsOf(report, info)),
  id: report.id,
  name: report.name,
  state: report.state,
  finalStatus: report.finalStatus,
  elapsedTime: report.elapsedTime,
  ...clusterStateOf(report),
  gatewayConnected: info?.gatewayConnected ?? false,
  observedAt: report.observedAt,
});

function statsOf(report: ApplicationReport, info: MasterInfo | undefined): AppStats | null {
  const stats = info?.stats;
  if (!stats) return null;
  if (hasEnded(report)) return { ...stats, ...noMore };
  const since = (windowId: string | undefined) =>
    lagOf(windowId, windowMillisOf(info.attributes), report.observedAt);
  const lag = stats.lag ?? since(stats.currentWindowId);
  const checkpointAge = stats.checkpointAge ?? since(stats.recoveryWindowId);
  return {
    ...stats,
    ...(lag === undefined ? {} : { lag }),
    ...(checkpointAge === undefined ? {} : { checkpointAge }),
  };
}

/** What an application that ended has no more of; what it did in all stays. */
const noMore = {
  latency: 0,
  lag: 0,
  allocatedContainers: 0,
  tuplesProcessedPSMA: 0,
  tuplesEmittedPSMA: 0,
  totalMemoryAllocated: 0,
  memoryRequired: 0,
  totalVCoresAllocated: 0,
  vcoresRequired: 0,
  totalBufferServerReadBytesPSMA: 0,
  totalBufferServerWriteBytesPSMA: 0,
} as const satisfies Partial<AppStats>;

/** Operators' custom metrics, turned from operator first to metric first. */
export function metricsOf(metrics: MasterInfo['metrics']): Metric[] {
  const byName = new Map<string, Metric>();
  for (const [operator, values] of Object.entries(metrics)) {
    for (const [name, value] of Object.entries(values)) {
      const type = typeName(value);
      const metric = byName.get(name) ?? { name, type, values: {} };
      byName.set(name, {
        name,
        type: metric.type === type ? type : 'mixed',
        values: { ...metric.values, [operator]: value },
      });
    }
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value;
}
