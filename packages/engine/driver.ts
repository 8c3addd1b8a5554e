import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ClusterContext,
  type ClusterDriver,
  Conflict,
  NotReady,
  Unreachable,
} from 'headgate/driver-kit';
import type { RunningApplication } from './application.js';
import { createApplications } from './applications.js';
import { type Engine, openEngine } from './engine.js';
import { createLauncher } from './launcher.js';
import { type LocalClusterOptions, type LocalClusterSettings, settingsFrom } from './options.js';
import { createResourceManager } from './resource-manager.js';
import { socketPath } from './rollout/slots.js';
import { createStore } from './store/store.js';
import { createSweeper } from './sweeper.js';
import { queueName } from './views/cluster.js';
import { clusterMetrics } from './views/metrics.js';
import { createWebServices, type WebServices } from './web/services.js';

const masterFacets: ClusterDriver['masterFacets'] = [
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
];

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

  const sweeper = createSweeper({
    isOpen: () => engine !== undefined && closing === undefined,
    forgetExpired: applications.forgetExpired,
  });

  async function open(context: ClusterContext): Promise<void> {
    if (engine) throw new Conflict('DRIVER_OPEN', 'The local engine is open already');
    property = context.property;
    const next = await openEngine(settings, store, context);
    applications.reset(next.found);
    closing = undefined;
    engine = next;
    sweeper.start();
  }

  async function close(): Promise<void> {
    if (!engine) return;
    sweeper.stop();
    await launcher.settled();
    await sweeper.settled();
    const { running } = applications;
    for (const application of running) endWithHost(application, engine.context.clock.now());
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
      probe: { arguments: ['--version'], environment: {} },
    },
    masterFacets,
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
    files: { check: () => checkFolder(settings.directory) },
    childProcesses: () => applications.running.reduce((sum, { processCount }) => sum + processCount, 0),
    resourceManager: createResourceManager({
      settings,
      applications,
      launcher,
      engine: opened,
      sweep: sweeper.sweep,
      metrics,
      webTarget: () => web().manager(),
    }),
  };
}

function endWithHost(application: RunningApplication, at: number): void {
  application.end(
    'FAILED',
    'FAILED',
    'The host stopped the engine while the application was running; restart it to go on from its saved state',
    {
      code: 'HOST_STOPPED',
      message: 'The host stopped the engine while the application was running',
      at,
    },
  );
}

async function checkFolder(directory: string): Promise<void> {
  await access(join(directory, 'apps'), constants.R_OK | constants.W_OK).catch((cause: unknown) => {
    throw new Unreachable(`The folder ${directory} of the embedded engine`, cause);
  });
}
