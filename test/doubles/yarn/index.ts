import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { JsonApplication } from '../../../lib/driver-kit.js';
import type { CliOptions } from '../../../packages/yarn/index.js';
import { DoubleApplication, type DoubleLaunch } from './application.js';
import { type DoubleFiles, doubleFiles } from './files.js';
import { managerAnswer } from './manager.js';
import { type DoubleMaster, doubleMaster } from './master.js';
import { doubleNodeManager, type NodeHabits } from './node-manager.js';
import { type Answer, type DoubleServer, serve } from './server.js';

/**
 * A YARN cluster as far as it can be seen over its services, with the habits of the real one:
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
  readonly nodes: NodeHabits;
  readonly apps: Map<string, DoubleApplication>;
  readonly masters: Map<string, DoubleMaster>;
  /** Whether logs are shown as plain files too. */
  rawLogs: boolean;
  /** What the managers show of their configuration. */
  readonly configuration: Record<string, string>;
  /** Launches as the command line received them, the newest last. */
  readonly launches: CliLaunch[];
  /** Commands that ran the code of a package to describe it. */
  readonly described: string[];
  /** A command line that launches here. */
  cli(fault?: CliFault): CliOptions;
  /** Hadoop's own command, which prints logs of ended applications. */
  yarnCommand(fault?: CliFault): CliOptions;
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
  /** Everybody on the machine can read it. */
  line: z.string(),
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

  const nodes: NodeHabits = { version: 2, forgetEnded: false, probed: () => {} };
  const owner = (id: string) => {
    const [, time, app] = /^(?:application|container)_(\d+)_(\d+)/.exec(id) ?? [];
    return all.get(`application_${time}_${app}`);
  };
  const nodeManager = await doubleNodeManager(owner, nodes);
  const managers: DoubleServer[] = [];
  for (let i = 0; i < (options.managers ?? 1); i++)
    managers.push(await serve((asked) => managerAnswer(double, i, asked)));

  const launches: CliLaunch[] = [];
  const described: string[] = [];
  const control = await serve(({ body, path, query }) => {
    if (path === '/described') {
      described.push(query.get('command') ?? '');
      return { status: 200 };
    }
    if (path === '/logs') return handedIn(owner(query.get('applicationId') ?? ''), query);
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

  const program = (file: string, fault: CliFault | undefined): CliOptions => ({
    command: process.execPath,
    arguments: [fileURLToPath(new URL(file, import.meta.url))],
    environment: { DOUBLE_CONTROL: control.url, DOUBLE_FAULT: fault ?? '' },
  });

  const double: YarnDouble = {
    managers,
    active: 0,
    standby: 'refresh',
    files,
    nodeManager,
    nodes,
    apps,
    masters,
    rawLogs: false,
    launches,
    described,
    configuration: {
      'fs.defaultFS': 'hdfs://127.0.0.1:8020',
      'hadoop.security.authentication': 'simple',
      'ssl.server.keystore.password': 'hush',
    },
    cli: (fault) => program('./apex.js', fault),
    yarnCommand: (fault) => program('./yarn-command.js', fault),
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
      const start = async () => {
        if (application.state !== 'ACCEPTED') return;
        if (request.failure !== undefined) return end(application, 'FAILED', 'FAILED', request.failure);
        await startMaster(application);
      };
      if (request.starts) request.starts.then(start);
      else setTimeout(start, 20).unref();
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

/** What `yarn logs` prints of one container, once its application has ended. */
function handedIn(application: DoubleApplication | undefined, query: URLSearchParams): Answer {
  if (!application || application.finalStatus === 'UNDEFINED' || query.get('appOwner') !== application.user)
    return { status: 404 };
  const logs = [...application.logs].map(
    ([name, text]) =>
      `LogType:${name}\nLog Upload Time:Sat Nov 21 19:05:31 +0000 2026\nLogLength:${Buffer.byteLength(text)}\nLog Contents:\n${text}\nEnd of LogType:${name}\n\n`,
  );
  const title = `Container: ${query.get('containerId')} on 127.0.0.1_1`;
  return { status: 200, body: `\n\n${title}\n${'='.repeat(title.length)}\n${logs.join('')}` };
}

const attributesIn = (properties: Readonly<Record<string, string>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, value]) => {
      const [, attribute] = /^apex\.attr\.(\w+)$/.exec(name) ?? [];
      return attribute === undefined ? [] : [[attribute, value === 'true' ? true : value]];
    }),
  );
