import { normalized, type OwnDefaults, type Permissions } from '../../core/acl.js';
import { facetOf, resourceManagerFacetOf } from '../../core/capabilities.js';
import { within } from '../../core/deadline.js';
import { Conflict } from '../../core/errors.js';
import type { Patience } from '../../core/patience.js';
import { compilePattern } from '../../core/pattern.js';
import type { Call } from '../../core/route.js';
import { check } from '../../core/validate.js';
import type { Clock } from '../../interfaces/clock.js';
import type { ApplicationReport, ClusterDriver, LaunchRequest } from '../../interfaces/cluster.js';
import type { Logger } from '../../interfaces/logger.js';
import type { AroundLaunch } from '../app-packages/service.js';
import type { LicenseService } from '../licenses/service.js';
import type { OperatorClassDesc } from '../logical-plan/schema.js';
import type { AccessRules } from './access-rules.js';
import { detailOf, listed, metricsOf } from './detail.js';
import { createDiagnosis, type Diagnosis } from './diagnosis.js';
import { type Applications, createDirectory } from './directory.js';
import { hasEnded } from './filter.js';
import { createLiveViews, type LiveViews } from './live.js';
import {
  type AppDetail,
  type ApplicationFilter,
  type ApplicationList,
  type AppMetrics,
  type Event,
  type EventQuery,
  HostLaunch,
  type LoggerMatch,
  type LoggerSetting,
  type OperatorClassFilter,
  type RestartQuery,
} from './schema.js';

export type { Applications } from './directory.js';

export interface ApplicationService extends Applications, Diagnosis, LiveViews {
  list(call: Call, filter: ApplicationFilter): Promise<ApplicationList>;
  get(call: Call, appId: string): Promise<AppDetail>;
  metrics(call: Call, appId: string): Promise<AppMetrics>;
  /** Drains: inputs end, what is under way is finished. Rejects with `Conflict` when it has ended. */
  shutdown(call: Call, appId: string): Promise<void>;
  kill(call: Call, appId: string): Promise<void>;
  /** Resolves the new id. Rejects with `Conflict` while the application runs. */
  restart(
    call: Call,
    appId: string,
    query: RestartQuery,
    properties?: Readonly<Record<string, string>>,
  ): Promise<string>;
  events(call: Call, appId: string, query: EventQuery): Promise<readonly Event[]>;
  readPermissions(call: Call, appId: string): Promise<Permissions>;
  writePermissions(call: Call, appId: string, permissions: Permissions): Promise<void>;
  loggers(call: Call, appId: string): Promise<readonly LoggerSetting[]>;
  setLoggers(call: Call, appId: string, settings: readonly LoggerSetting[]): Promise<void>;
  searchLoggers(call: Call, appId: string, pattern: string): Promise<LoggerMatch[]>;
  operatorClasses(call: Call, appId: string, filter: OperatorClassFilter): Promise<string[]>;
  operatorClass(call: Call, appId: string, className: string): Promise<OperatorClassDesc>;
  /**
   * Launches for a caller who may launch. An application whose state it goes on from has to be the caller's to change;
   * rejects with `Conflict` when that one has not ended.
   */
  launchFor(call: Call, request: LaunchRequest): Promise<string>;
  /** For the host's own code; resolves the new id. Rejects with `InvalidInput` naming what does not fit. */
  launch(request: HostLaunch): Promise<string>;
}

export function createApplicationService(deps: {
  cluster: ClusterDriver;
  licenses: Pick<LicenseService, 'room'>;
  rules: AccessRules;
  ownDefaults: OwnDefaults;
  clock: Clock;
  logger: Logger;
  patience: Patience;
  /** Services that the application needs; empty when it needs none. */
  servicesOf: (call: Call, appId: string) => NonNullable<AppDetail['services']>;
  /** Sees to it that the services are there which an ended application needed. */
  aroundRestart: (call: Call, ended: ApplicationReport) => Promise<AroundLaunch>;
}): ApplicationService {
  const { cluster, rules, patience } = deps;
  const directory = createDirectory(deps);
  const { find, findToChange, ask, reading, changing } = directory;

  async function requireRunning(call: Call, appId: string, what: string): Promise<void> {
    const { report } = await findToChange(call, appId);
    if (hasEnded(report)) throw new Conflict(`${appId} has ended (${report.state}): nothing to ${what}`);
  }

  /** An ended application, and what the one that goes on from it is shared like. */
  async function endedBefore(call: Call, appId: string) {
    const { report } = await findToChange(call, appId);
    if (!hasEnded(report)) {
      throw new Conflict(`${appId} has not ended (${report.state}): shut it down first`);
    }
    const shared = (await rules.explicit(appId)) ?? (await deps.ownDefaults(call.user.userName));
    return { report, shared };
  }

  async function start(request: LaunchRequest, shared: Permissions | undefined): Promise<string> {
    const launcher = resourceManagerFacetOf(cluster, 'launcher');
    const appId = await within(patience.launchMillis, 'The launch', undefined, (signal) =>
      launcher.launch(request, { signal }),
    );
    return share(appId, shared);
  }

  /** The new id is told also when its permissions can't be kept: the application runs. */
  async function share(appId: string, permissions: Permissions | undefined): Promise<string> {
    if (permissions) {
      await rules.write(appId, normalized(permissions)).catch((err) => {
        deps.logger.error({ appId, err }, 'the permissions of a new application can not be kept');
      });
    }
    return appId;
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

    async get(call, appId) {
      const { report, access } = await find(call, appId);
      const [info, room] = await Promise.all([directory.infoOf(appId, call.signal), deps.licenses.room()]);
      const detail = detailOf(report, info, access, room);
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
      await within(patience.resourceManagerMillis, 'The resource manager', undefined, (signal) =>
        cluster.resourceManager.kill(appId, { signal }),
      );
    },

    async restart(call, appId, query, properties) {
      const { report, shared } = await endedBefore(call, appId);
      const launcher = resourceManagerFacetOf(cluster, 'launcher');
      const around = await deps.aroundRestart(call, report);
      const request = { user: call.user.userName, ...query, ...(properties ? { properties } : {}) };
      const newId = await within(patience.launchMillis, 'The launch', undefined, (signal) =>
        launcher.restart(appId, request, { signal }),
      ).catch(async (error) => {
        await around.failed();
        throw error;
      });
      // Neither waits for the other: the permissions may lie on a file system that stands still.
      await Promise.all([share(newId, shared), around.launched(newId)]);
      return newId;
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
      const pattern = compilePattern(text, 'query.pattern');
      const levels = await reading(call, appId, (master, options) =>
        facetOf(cluster, master, 'loggers').levels(options),
      );
      return pattern.whole(levels, ({ name }) => name);
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

    async launchFor(call, request) {
      const { originalAppId } = request;
      if (originalAppId === undefined) return start(request, await deps.ownDefaults(request.user));
      return start(request, (await endedBefore(call, originalAppId)).shared);
    },

    async launch(request) {
      const checked = check(HostLaunch, request, 'body');
      return start(checked, await deps.ownDefaults(checked.user));
    },
  };
}
