import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import {
  build,
  type ClusterContext,
  type ClusterDriver,
  Conflict,
  NotReady,
  type Queue,
  Unreachable,
  version,
} from '../../../lib/driver-kit.js';
import type { RunningApplication } from './application.js';
import { createApplications } from './applications.js';
import { type Engine, openEngine } from './engine.js';
import { createLauncher, queueName } from './launcher.js';
import { type LocalClusterOptions, type LocalClusterSettings, settingsFrom } from './options.js';
import { socketPath } from './rollout/slots.js';
import { createStore } from './store/store.js';
import { clusterMetrics } from './views/metrics.js';
import { createWebServices, type WebServices } from './web/services.js';

/** Nobody may ask for a long time, and what is old goes all the same. Milliseconds. */
const sweepEveryMillis = 3_600_000;

/** The embedded engine: really runs applications, each container a child process on this machine. */
export function createDriver(options: LocalClusterOptions): ClusterDriver {
  const given = settingsFrom(options);
  let property: ClusterContext['property'];
  const settings: LocalClusterSettings = {
    ...given,
    // Asked at each start of a container: it changes with the property.
    get execPath() {
      return property?.('platform.clusterExecutable') ?? given.execPath;
    },
  };
  const store = createStore(settings.directory);
  let engine: Engine | undefined;
  let closing: Promise<void> | undefined;
  let services: WebServices | undefined;

  function opened(): Engine {
    if (!engine) throw new NotReady('The local engine is not open');
    return engine;
  }
  const applications = createApplications({ settings, store, engine: opened });
  const launcher = createLauncher({
    settings,
    store,
    applications,
    engine: opened,
    isClosing: () => closing !== undefined,
  });

  let sweeper: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> = Promise.resolve();
  function sweep(): void {
    // Of those that closing does not wait for, the files would go after the directory was let go.
    if (!engine || closing) return;
    // Without the results: each would hold all those before.
    sweeping = Promise.all([sweeping, applications.forgetExpired()]).then(() => {});
  }

  async function open(context: ClusterContext): Promise<void> {
    if (engine) throw new Conflict('The local engine is open already');
    property = context.property;
    const next = await openEngine(settings, store, context);
    applications.reset(next.found);
    closing = undefined;
    engine = next;
    sweeper = setInterval(sweep, sweepEveryMillis).unref();
    sweep();
  }

  async function close(): Promise<void> {
    if (!engine) return;
    clearInterval(sweeper);
    await launcher.settled();
    await sweeping;
    const { running } = applications;
    for (const application of running)
      application.end(
        'FAILED',
        'FAILED',
        'The host stopped the engine while the application was running; restart it to go on from its saved state',
        {
          code: 'HOST_STOPPED',
          message: 'The host stopped the engine while the application was running',
          at: engine.context.clock.now(),
        },
      );
    await Promise.all(running.map(({ ended }) => ended));
    await services?.close();
    services = undefined;
    await engine.close();
    engine = undefined;
  }

  async function metrics() {
    const { running, endedRecords } = applications;
    return clusterMetrics(running, endedRecords, {
      now: opened().context.clock.now(),
      memoryMB: settings.limits.memoryMB,
      cores: settings.cores,
      submitted: running.length + endedRecords.length,
    });
  }

  /** For the proxies; nothing of it is there before somebody asks. */
  function web(): WebServices {
    const { sockets, startedAt } = opened();
    services ??= createWebServices(socketPath(sockets, 'web'), {
      startedAt,
      queueName,
      cores: settings.cores,
      reports: () => applications.reports(false),
      report: applications.report,
      metrics,
      master: applications.master,
    });
    return services;
  }

  return {
    name: 'local',
    executable: {
      path: () => settings.execPath,
      trial: { arguments: ['--version'], environment: {} },
    },
    masterFacets: [
      'properties',
      'planEditor',
      'attributes',
      'containerControl',
      'recorder',
      'loggers',
      'events',
      'stats',
      'deployHistory',
      'logs',
      'operatorClasses',
      'forwarder',
    ],
    open,
    close: () => {
      closing ??= close();
      return closing;
    },
    master: async (appId) => ({
      ...applications.master(appId),
      forwarder: {
        target: async () => {
          applications.runningOne(appId);
          return web().master(appId);
        },
      },
    }),
    files: {
      async check() {
        const { directory } = settings;
        await access(join(directory, 'apps'), constants.R_OK | constants.W_OK).catch((cause: unknown) => {
          throw new Unreachable(`The folder ${directory} of the embedded engine`, cause);
        });
      },
    },
    childProcesses: () => applications.running.reduce((sum, { processCount }) => sum + processCount, 0),
    resourceManager: {
      listApplications: async ({ activeOnly = false } = {}) => {
        sweep();
        return applications.reports(activeOnly);
      },
      getApplication: async (appId) => {
        sweep();
        return applications.report(appId);
      },
      kill: async (appId) => applications.runningOne(appId).kill(),
      metrics,
      forwarder: { target: async () => web().manager() },
      about: async () => aboutThisMachine(),
      nodeCount: async () => 1,
      launcher,
      packageOperators: {
        readsJars: false,
        async describe(content) {
          const { packageCode, builtIns } = opened();
          const { classes, problems } = await packageCode.describe(content);
          return { classes: [...builtIns(), ...classes], problems };
        },
      },
      queues: { list: async () => [queueOf(applications.running, settings)] },
      configuration: { read: async () => configurationOf(settings) },
    },
  };
}

function aboutThisMachine() {
  const nobody = { buildDate: '', buildRevision: '', buildUser: '' };
  return {
    // It is built with the gateway, of the same source.
    engine: {
      version,
      buildVersion: version,
      ...nobody,
      buildDate: build.date,
      buildRevision: build.revision,
    },
    cluster: { ...nobody, version: process.version, buildVersion: process.version },
    location: hostname(),
    securityEnabled: false,
    haEnabled: false,
  };
}

function queueOf(running: readonly RunningApplication[], { limits }: LocalClusterSettings): Queue {
  const used = running.flatMap(({ slots }) => slots).reduce((sum, { memoryMB }) => sum + memoryMB, 0);
  return {
    name: queueName,
    state: 'RUNNING',
    capacity: 100,
    currentCapacity: (used / limits.memoryMB) * 100,
    maxCapacity: 100,
  };
}

const configurationOf = ({
  limits,
  directory,
  execPath,
  containerMemoryMB,
  modules,
  packageCode,
  access,
}: LocalClusterSettings): Record<string, string> =>
  Object.fromEntries(
    [
      ['directory', directory],
      ['execPath', execPath],
      ['operators', modules.join(',')],
      ['packageCode', packageCode],
      ['containerMemoryMB', containerMemoryMB] as const,
      ['files', access.folder],
      ['files.read', access.read.join(',')],
      ['files.write', access.write.join(',')],
      ['addresses', String(access.addresses)],
      ...Object.entries(limits).map(([name, value]) => [`limits.${name}`, value] as const),
    ].map(([name, value]) => [`local.${name}`, String(value)]),
  );
