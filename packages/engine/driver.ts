import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ClusterContext,
  type ClusterDriver,
  type ClusterMetrics,
  Unreachable,
} from 'headgate/driver-kit';
import { type Applications, createApplications } from './applications/applications.js';
import { createSweeper } from './applications/sweeper.js';
import { createLauncher } from './launch/launcher.js';
import { openEngine } from './lifecycle/engine.js';
import { createEngineLifecycle } from './lifecycle/engine-lifecycle.js';
import { createResourceManager } from './resource-manager.js';
import type { RunningApplication } from './running/application.js';
import { type LocalClusterOptions, type LocalClusterSettings, settingsFrom } from './settings/options.js';
import { createStore } from './store/store.js';
import { clusterMetrics } from './views/metrics.js';
import { createOnDemandWebServices } from './web/on-demand-services.js';

const masterFacets: ClusterDriver['masterFacets'] = [
  'properties',
  'physicalProperties',
  'planEditor',
  'attributes',
  'containerControl',
  'stackTraces',
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
  const lifecycle = createEngineLifecycle();
  const { engine } = lifecycle;
  const applications = createApplications({ settings, store, engine });
  const launcher = createLauncher({
    settings,
    store,
    applications,
    engine,
    isClosing: () => lifecycle.isClosing,
  });
  const sweeper = createSweeper({
    isOpen: () => lifecycle.isOpen,
    forgetExpired: applications.forgetExpired,
  });
  const metrics = async () => metricsOf(applications, settings, engine().context.clock.now());
  const web = createOnDemandWebServices({ engine, applications, cores: settings.cores, metrics });

  return {
    name: 'local',
    executable: {
      path: () => settings.execPath,
      probe: { arguments: ['--version'], environment: {} },
    },
    masterFacets,
    async open(context) {
      await lifecycle.open(async () => {
        property = context.property;
        const next = await openEngine(settings, store, context);
        applications.reset(next.found);
        return next;
      });
      sweeper.start();
    },
    close: () =>
      lifecycle.close(async ({ context }) => {
        sweeper.stop();
        await launcher.settled();
        await sweeper.settled();
        const { running } = applications;
        for (const application of running) endWithHost(application, context.clock.now());
        await Promise.all(running.map(({ ended }) => ended));
        await web.close();
      }),
    master: async (appId) => ({
      ...applications.master(appId),
      forwarder: { target: async () => web.master(applications.runningOne(appId).state.record.id) },
    }),
    files: { check: () => checkFolder(settings.directory) },
    childProcesses: () => applications.running.reduce((sum, { processCount }) => sum + processCount, 0),
    resourceManager: createResourceManager({
      settings,
      applications,
      launcher,
      engine,
      sweep: sweeper.sweep,
      metrics,
      webTarget: web.manager,
    }),
  };
}

const metricsOf = (
  { running, endedRecords }: Applications,
  { limits, cores }: LocalClusterSettings,
  now: number,
): ClusterMetrics =>
  clusterMetrics(running, endedRecords, {
    now,
    memoryMB: limits.memoryMB,
    cores,
    submitted: running.length + endedRecords.length,
  });

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
