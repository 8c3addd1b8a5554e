import { compilePattern } from '../../formats/pattern.js';
import { facetOf } from '../../http/capabilities.js';
import type { Call } from '../../http/route.js';
import type { Clock } from '../../interfaces/clock.js';
import type { ApplicationReport, ClusterDriver } from '../../interfaces/cluster.js';
import type { Logger } from '../../interfaces/logger.js';
import { normalized, type Permissions } from '../../model/acl.js';
import type {
  AppDetail,
  ApplicationFilter,
  ApplicationList,
  AppMetrics,
  Event,
  EventQuery,
  LoggerMatch,
  LoggerSetting,
  OperatorClassFilter,
} from '../../model/applications.js';
import { Conflict } from '../../model/errors.js';
import type { OperatorClassDesc } from '../../model/logical-plan.js';
import type { Timeouts } from '../../model/timeouts.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import type { LicenseService } from '../licenses/service.js';
import type { AccessRules } from './access-rules.js';
import { detailOf, listed, metricsOf } from './detail.js';
import { createDiagnosis, type Diagnosis } from './diagnosis.js';
import { type Applications, createDirectory } from './directory.js';
import { hasEnded } from './filter.js';
import { createLiveViews, type LiveViews } from './live.js';

export type { Applications } from './directory.js';

export interface ApplicationService extends Applications, Diagnosis, LiveViews {
  list(call: Call, filter: ApplicationFilter): Promise<ApplicationList>;
  /** `ownAddress`: at which the caller reached this gateway. */
  get(call: Call, appId: string, ownAddress?: string): Promise<AppDetail>;
  metrics(call: Call, appId: string): Promise<AppMetrics>;
  /** Drains: inputs end, what is under way is finished. Rejects with `Conflict` when it has ended. */
  shutdown(call: Call, appId: string): Promise<void>;
  kill(call: Call, appId: string): Promise<void>;
  events(call: Call, appId: string, query: EventQuery): Promise<readonly Event[]>;
  readPermissions(call: Call, appId: string): Promise<Permissions>;
  writePermissions(call: Call, appId: string, permissions: Permissions): Promise<void>;
  loggers(call: Call, appId: string): Promise<readonly LoggerSetting[]>;
  setLoggers(call: Call, appId: string, settings: readonly LoggerSetting[]): Promise<void>;
  searchLoggers(call: Call, appId: string, pattern: string): Promise<LoggerMatch[]>;
  operatorClasses(call: Call, appId: string, filter: OperatorClassFilter): Promise<string[]>;
  operatorClass(call: Call, appId: string, className: string): Promise<OperatorClassDesc>;
  /**
   * An ended application that the caller may change, and what somebody has shared it like. Rejects with `Conflict` when it
   * has not ended.
   */
  endedToChange(
    call: Call,
    appId: string,
  ): Promise<{ readonly report: ApplicationReport; readonly shared: Permissions | undefined }>;
  /** Keeps the permissions of a new application. Never rejects: the application runs, so its id is told. */
  share(appId: string, permissions: Permissions | undefined): Promise<void>;
}

export function createApplicationService(deps: {
  cluster: ClusterDriver;
  licenses: Pick<LicenseService, 'room'>;
  rules: AccessRules;
  clock: Clock;
  logger: Logger;
  timeouts: Timeouts;
  /** Services that the application needs; empty when it needs none. */
  servicesOf: (call: Call, appId: string) => NonNullable<AppDetail['services']>;
}): ApplicationService {
  const { cluster, rules, timeouts } = deps;
  const directory = createDirectory(deps);
  const { find, findToChange, ask, reading, changing } = directory;

  async function requireRunning(call: Call, appId: string, what: string): Promise<void> {
    const { report } = await findToChange(call, appId);
    if (hasEnded(report))
      throw new Conflict('APPLICATION_ENDED', `${appId} has ended (${report.state}): nothing to ${what}`);
  }

  return {
    ...directory,
    ...createDiagnosis({ ...deps, directory }),
    ...createLiveViews({ ...deps, directory }),

    async list(call, filter) {
      const visible = await directory.visible(call, filter);
      return {
        apps: visible.map(({ report, access }) => ({ ...listed(report), canWrite: access === 'write' })),
      };
    },

    async get(call, appId, ownAddress) {
      const { report, access } = await find(call, appId);
      const [info, room] = await Promise.all([directory.infoOf(appId, call.signal), deps.licenses.room()]);
      const detail = detailOf(report, info, access, room, ownAddress);
      const services = deps.servicesOf(call, appId);
      return services.length === 0 ? detail : { ...detail, services };
    },

    async metrics(call, appId) {
      const info = await reading(call, appId, (master, options) => master.info(options));
      return { applicationId: appId, metrics: metricsOf(info.metrics) };
    },

    async shutdown(call, appId) {
      await requireRunning(call, appId, 'shut down');
      await ask(appId, undefined, (master, options) => master.shutdown(options));
    },

    async kill(call, appId) {
      await requireRunning(call, appId, 'kill');
      await withTimeout(timeouts.resourceManagerMillis, 'The resource manager', undefined, (signal) =>
        cluster.resourceManager.kill(appId, { signal }),
      );
    },

    events: (call, appId, query) =>
      reading(call, appId, (master, options) => facetOf(cluster, master, 'events').read(query, options)),

    async readPermissions(call, appId) {
      const { report } = await find(call, appId);
      return rules.read(report, { signal: call.signal });
    },

    async writePermissions(call, appId, permissions) {
      await findToChange(call, appId);
      await rules.write(appId, normalized(permissions));
    },

    loggers: (call, appId) =>
      reading(call, appId, (master, options) => facetOf(cluster, master, 'loggers').list(options)),

    setLoggers: (call, appId, settings) =>
      changing(call, appId, (master) => facetOf(cluster, master, 'loggers').set(settings)),

    async searchLoggers(call, appId, text) {
      const levels = await reading(call, appId, (master, options) =>
        facetOf(cluster, master, 'loggers').levels(options),
      );
      return compilePattern(text, 'query.pattern').whole(levels, ({ name }) => name);
    },

    async operatorClasses(call, appId, { packagePrefixes = '', ...query }) {
      const names = await reading(call, appId, (master, options) =>
        facetOf(cluster, master, 'operatorClasses').list(query, options),
      );
      const prefixes = packagePrefixes.split(',').filter((prefix) => prefix !== '');
      if (prefixes.length === 0) return [...names];
      return names.filter((name) => prefixes.some((prefix) => name.startsWith(prefix)));
    },

    operatorClass: (call, appId, className) =>
      reading(call, appId, (master, options) =>
        facetOf(cluster, master, 'operatorClasses').describe(className, options),
      ),

    async endedToChange(call, appId) {
      const { report } = await findToChange(call, appId);
      if (hasEnded(report)) return { report, shared: await rules.explicit(appId) };
      throw new Conflict(
        'APPLICATION_RUNNING',
        `${appId} has not ended (${report.state}): shut it down first`,
      );
    },

    async share(appId, permissions) {
      if (!permissions) return;
      await rules.write(appId, normalized(permissions)).catch((err) => {
        deps.logger.error(
          { event: 'application.permissions_not_saved', appId, err },
          'the permissions of a new application can not be kept',
        );
      });
    },
  };
}
