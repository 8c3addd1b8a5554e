import { facetOf } from '../../http/capabilities.js';
import type { Call } from '../../http/route.js';
import type { Clock } from '../../interfaces/clock.js';
import type { ApplicationReport, ClusterDriver } from '../../interfaces/cluster.js';
import type { Logger } from '../../interfaces/logger.js';
import type { Permissions } from '../../model/acl.js';
import type { AppDetail, ApplicationFilter, ApplicationList, AppMetrics } from '../../model/applications.js';
import { Conflict } from '../../model/errors.js';
import type { Timeouts } from '../../model/timeouts.js';
import { createResourceManagerCalls } from '../../runtime/resource-manager-calls.js';
import type { LicenseService } from '../licenses/service.js';
import type { AccessRules } from './access-rules.js';
import { createApplicationLookup } from './application-lookup.js';
import { type ApplicationPermissions, createApplicationPermissions } from './application-permissions.js';
import { detailOf, listed, metricsOf } from './detail.js';
import { createDiagnosis, type Diagnosis } from './diagnosis.js';
import { type Applications, createDirectory } from './directory.js';
import { hasEnded } from './filter.js';
import { createLiveViews, type LiveViews } from './live.js';
import { createMasterFacets, type MasterFacets } from './master-facets.js';
import { createReportCache } from './report-cache.js';

export type { Applications } from './directory.js';

export interface ApplicationService
  extends Applications,
    ApplicationPermissions,
    Diagnosis,
    LiveViews,
    MasterFacets {
  list(call: Call, filter: ApplicationFilter): Promise<ApplicationList>;
  /** `ownAddress`: at which the caller reached this gateway. */
  get(call: Call, appId: string, ownAddress?: string): Promise<AppDetail>;
  metrics(call: Call, appId: string): Promise<AppMetrics>;
  /**
   * Inputs end, what is under way is finished; `drain`: windows and timers too. Rejects with `Conflict` when it has ended, with
   * `NotSupported` for `drain` where the cluster can't do that.
   */
  shutdown(call: Call, appId: string, how: { readonly drain: boolean }): Promise<void>;
  kill(call: Call, appId: string): Promise<void>;
  /**
   * An ended application that the caller may change, and what somebody has shared it like. Rejects with `Conflict` when it
   * has not ended.
   */
  endedToChange(
    call: Call,
    appId: string,
  ): Promise<{ readonly report: ApplicationReport; readonly shared: Permissions | undefined }>;
}

export function createApplicationService(deps: {
  cluster: ClusterDriver;
  licenses: Pick<LicenseService, 'headroom'>;
  rules: AccessRules;
  clock: Clock;
  logger: Logger;
  timeouts: Timeouts;
  /** Services that the application needs; empty when it needs none. */
  servicesOf: (call: Call, appId: string) => NonNullable<AppDetail['services']>;
}): ApplicationService {
  const { cluster, rules, clock, timeouts } = deps;
  const askManager = createResourceManagerCalls(cluster.resourceManager, timeouts.resourceManagerMillis);
  const lookup = createApplicationLookup(askManager, rules);
  const reports = createReportCache(askManager, clock);
  const directory = createDirectory({ cluster, lookup, reports, masterMillis: timeouts.masterMillis });

  async function requireRunning(call: Call, appId: string, what: string): Promise<void> {
    const { report } = await lookup.findToChange(call, appId);
    if (hasEnded(report))
      throw new Conflict('APPLICATION_ENDED', `${appId} has ended (${report.state}): nothing to ${what}`);
  }

  return {
    ...directory,
    ...createApplicationPermissions({ ...deps, lookup }),
    ...createDiagnosis({ clock, directory }),
    ...createLiveViews({ rules, directory, clock }),
    ...createMasterFacets({ cluster, directory }),

    async list(call, filter) {
      const visible = await lookup.visible(call, filter);
      return {
        apps: visible.map(({ report, access }) => ({ ...listed(report), canWrite: access === 'write' })),
      };
    },

    async get(call, appId, ownAddress) {
      const { report, access } = await lookup.find(call, appId);
      const [info, headroom] = await Promise.all([
        directory.infoOf(appId, call.signal),
        deps.licenses.headroom(),
      ]);
      const detail = detailOf(report, info, access, headroom, ownAddress);
      const services = deps.servicesOf(call, appId);
      return services.length === 0 ? detail : { ...detail, services };
    },

    async metrics(call, appId) {
      const info = await directory.reading(call, appId, (master, options) => master.info(options));
      return { applicationId: appId, metrics: metricsOf(info.metrics) };
    },

    async shutdown(call, appId, { drain }) {
      await requireRunning(call, appId, 'shut down');
      await directory.ask(appId, undefined, (master, options) => {
        const ordered = { ...options, user: call.user.userName };
        return drain ? facetOf(cluster, master, 'drainer').drain(ordered) : master.shutdown(ordered);
      });
    },

    async kill(call, appId) {
      await requireRunning(call, appId, 'kill');
      await askManager(undefined, (resourceManager, options) => resourceManager.kill(appId, options));
    },

    async endedToChange(call, appId) {
      const { report } = await lookup.findToChange(call, appId);
      if (hasEnded(report)) return { report, shared: await rules.explicit(appId) };
      throw new Conflict(
        'APPLICATION_RUNNING',
        `${appId} has not ended (${report.state}): shut it down first`,
      );
    },
  };
}
