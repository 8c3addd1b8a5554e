import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { CliOptions } from '../../../adapters/cluster/yarn/index.js';
import { JsonApplication } from '../../../lib/index.js';
import { DoubleApplication, type DoubleLaunch } from './application.js';
import { type DoubleFiles, doubleFiles } from './files.js';
import { managerAnswer } from './manager.js';
import { type DoubleMaster, doubleMaster } from './master.js';
import { doubleNodeManager } from './node-manager.js';
import { type DoubleServer, serve } from './server.js';

/**
 * A YARN cluster as far as it can be seen over its services, with the habits of the real one (`engine-on-yarn.md` 1 to 3):
 * real servers on the loopback, applications that count and write, and faults to be had at will.
 */
export interface YarnDouble {
  readonly managers: readonly DoubleServer[];
  /** Which manager is active; `undefined`: none, they are all on standby. */
  active: number | undefined;
  /** How one on standby sends on. */
  standby: 'refresh' | 'redirect';
  readonly files: DoubleFiles;
  readonly nodeManager: DoubleServer;
  readonly apps: Map<string, DoubleApplication>;
  readonly masters: Map<string, DoubleMaster>;
  /** Whether logs are shown as plain files too. */
  rawLogs: boolean;
  /** What the managers show of their configuration. */
  readonly configuration: Record<string, string>;
  /** Launches as the command line received them, the newest last. */
  readonly launches: CliLaunch[];
  /** A command line that launches here. */
  cli(fault?: CliFault): CliOptions;
  /** Resolves the application at once; it runs a little later. */
  launch(request: DoubleLaunch): DoubleApplication;
  /** Resolves when it runs. */
  run(request: DoubleLaunch): Promise<DoubleApplication>;
  /** A new attempt, at another port. */
  restartMaster(appId: string): Promise<void>;
  /** The manager starts anew and knows nothing. */
  forget(): void;
  close(): Promise<void>;
}

export type CliFault = 'hang' | 'kill' | 'garbage';

const CliLaunch = z.object({
  application: JsonApplication.optional(),
  appName: z.string().optional(),
  packageBytes: z.number().optional(),
  queue: z.string(),
  originalAppId: z.string().optional(),
  properties: z.record(z.string(), z.string()),
  user: z.string(),
  root: z.string().optional(),
  options: z.string(),
});
export type CliLaunch = z.output<typeof CliLaunch>;

/** What a package holds, whatever it is. */
const sample: JsonApplication = {
  operators: [{ name: 'rand', class: 'com.example.Random' }],
  streams: [],
};

export const root = '/user/hadoop/datatorrent';

export async function yarnDouble(options: { readonly managers?: number } = {}): Promise<YarnDouble> {
  const clusterTime = Date.now();
  const files = await doubleFiles();
  const apps = new Map<string, DoubleApplication>();
  const masters = new Map<string, DoubleMaster>();
  /** Applications whose containers have logs, known to the manager or not. */
  const all = new Map<string, DoubleApplication>();
  let number = 0;
  let isClosed = false;

  const nodeManager = await doubleNodeManager((id) => {
    const [, time, app] = /^(?:application|container)_(\d+)_(\d+)/.exec(id) ?? [];
    return all.get(`application_${time}_${app}`);
  });
  const managers: DoubleServer[] = [];
  for (let i = 0; i < (options.managers ?? 1); i++)
    managers.push(await serve((asked) => managerAnswer(double, i, asked)));

  const launches: CliLaunch[] = [];
  const control = await serve(({ body }) => {
    const request = CliLaunch.parse(JSON.parse(body));
    launches.push(request);
    const before = request.originalAppId === undefined ? undefined : all.get(request.originalAppId);
    const { properties, queue, user } = request;
    const application = request.application ?? before?.launch.application ?? sample;
    const attributes = attributesIn(properties);
    const named = attributes['APPLICATION_NAME'] ?? application.attributes?.['APPLICATION_NAME'];
    const name = String(named ?? before?.launch.name ?? 'sample');
    const { id } = double.launch({ name, user, queue, application, attributes });
    return { status: 200, body: JSON.stringify({ appId: id }) };
  });

  async function startMaster(application: DoubleApplication): Promise<void> {
    if (isClosed) return;
    const master = await doubleMaster(application, {
      shutdown: () => setTimeout(() => end(application, 'FINISHED', 'SUCCEEDED'), 20).unref(),
      restart: () => setTimeout(() => double.restartMaster(application.id).catch(() => {}), 20).unref(),
    });
    // Closed, or ended, while the server was starting.
    if (isClosed || application.finalStatus !== 'UNDEFINED') return master.server.stop();
    masters.set(application.id, master);
    application.begin();
  }

  function end(application: DoubleApplication, ...how: Parameters<DoubleApplication['end']>): void {
    application.end(...how);
    masters
      .get(application.id)
      ?.server.stop()
      .catch(() => {});
    masters.delete(application.id);
  }

  const timer = setInterval(() => {
    for (const application of apps.values()) application.tick();
  }, 20);
  timer.unref();

  const double: YarnDouble = {
    managers,
    active: 0,
    standby: 'refresh',
    files,
    nodeManager,
    apps,
    masters,
    rawLogs: false,
    launches,
    configuration: {
      'fs.defaultFS': 'hdfs://127.0.0.1:8020',
      'hadoop.security.authentication': 'simple',
      'ssl.server.keystore.password': 'hush',
    },
    cli: (fault) => ({
      command: process.execPath,
      arguments: [fileURLToPath(new URL('./apex.js', import.meta.url))],
      environment: { DOUBLE_CONTROL: control.url, DOUBLE_FAULT: fault ?? '' },
    }),
    launch(request) {
      number++;
      const application = new DoubleApplication(request, files, { clusterTime, number, root });
      application.logUrls = (id) => ({
        containerLogsUrl: `http://${nodeManager.host}/node/containerlogs/${id}/${application.user}`,
        rawContainerLogsUrl: double.rawLogs
          ? `http://${nodeManager.host}/logs/userlogs/${application.id}/${id}`
          : null,
      });
      apps.set(application.id, application);
      all.set(application.id, application);
      setTimeout(async () => {
        if (application.state !== 'ACCEPTED') return;
        if (request.failure !== undefined) return end(application, 'FAILED', 'FAILED', request.failure);
        await startMaster(application);
      }, request.startMillis ?? 20).unref();
      return application;
    },
    async run(request) {
      const application = double.launch(request);
      while (
        application.state === 'ACCEPTED' ||
        application.operators.some(({ status }) => status !== 'ACTIVE')
      )
        await new Promise((resolve) => setTimeout(resolve, 5));
      return application;
    },
    async restartMaster(appId) {
      const application = apps.get(appId);
      if (!application) return;
      await masters.get(appId)?.server.stop();
      application.state = 'ACCEPTED';
      application.attempt++;
      await startMaster(application);
    },
    forget: () => apps.clear(),
    async close() {
      isClosed = true;
      clearInterval(timer);
      const servers = [...managers, control, nodeManager, files.nameNode, files.dataNode];
      await Promise.all(
        [...servers, ...[...masters.values()].map(({ server }) => server)].map((one) => one.stop()),
      );
    },
  };
  return double;
}

const attributesIn = (properties: Readonly<Record<string, string>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, value]) => {
      const [, attribute] = /^apex\.attr\.(\w+)$/.exec(name) ?? [];
      return attribute === undefined ? [] : [[attribute, value === 'true' ? true : value]];
    }),
  );
