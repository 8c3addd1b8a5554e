import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '../../helpers/ports.js';
import { limitMillis } from '../../helpers/waiting.js';
import type { Artifacts } from './artifacts.js';
import { writeCommandLine, writeYarnCommand } from './command-line.js';
import { type Ports, portNames, writeConfiguration } from './configuration.js';
import { type Daemon, startDaemon } from './daemon.js';
import { openDirectories, takesFiles } from './file-system.js';
import { endLeftovers } from './leftovers.js';
import { writeSafeKill } from './safe-kill.js';

const mainClasses = {
  nameNode: 'org.apache.hadoop.hdfs.server.namenode.NameNode',
  dataNode: 'org.apache.hadoop.hdfs.server.datanode.DataNode',
  resourceManager: 'org.apache.hadoop.yarn.server.resourcemanager.ResourceManager',
  nodeManager: 'org.apache.hadoop.yarn.server.nodemanager.NodeManager',
} as const;
export type DaemonName = keyof typeof mainClasses;

/** A YARN cluster of one node, with its file system: four daemons on the loopback. */
export interface YarnCluster {
  readonly directory: string;
  readonly conf: string;
  readonly ports: Ports;
  /** `http://localhost:<port>`, without a slash at the end. */
  readonly resourceManager: string;
  readonly nodeManager: string;
  readonly nameNode: string;
  /** The engine's command line, as its distribution starts it. */
  readonly apex: string;
  /** Hadoop's script `yarn`, as far as the driver needs it: `yarn logs`. */
  readonly yarn: string;
  stop(daemon: DaemonName, signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again, with the same files and ports, and waits until the cluster is whole. */
  start(daemon: DaemonName): Promise<void>;
  /** An order to the file system: `('-safemode', 'enter')`. */
  administrate(...args: string[]): Promise<void>;
  /** Ends everything, its containers included, and removes its files. */
  close(): Promise<void>;
}

export interface YarnClusterOptions {
  /** Properties on top of those of `yarn-site.xml`. */
  readonly yarn?: Readonly<Record<string, string | number | boolean>>;
}

export async function startYarn(
  artifacts: Artifacts,
  options: YarnClusterOptions = {},
): Promise<YarnCluster> {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-yarn-'));
  const ports = await freePorts(portNames);
  const conf = await writeConfiguration({ directory, hadoop: artifacts.hadoop, ports }, options.yarn);
  const logs = join(directory, 'logs');
  await mkdir(logs);
  const programs = join(directory, 'bin');
  await mkdir(programs);
  await writeSafeKill(programs);
  const apex = await writeCommandLine(programs, conf, artifacts);
  const yarn = await writeYarnCommand(programs, conf, artifacts);

  const resourceManager = `http://localhost:${ports.resourceManagerWeb}`;
  const nodeManager = `http://localhost:${ports.nodeManagerWeb}`;
  const nameNode = `http://localhost:${ports.nameNodeWeb}`;
  const daemons = new Map<DaemonName, Daemon>();

  const java = (name: string, ...args: string[]) =>
    startDaemon({
      name,
      command: join(artifacts.javaHome, 'bin/java'),
      args: [
        ...['-Xmx320m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Djava.net.preferIPv4Stack=true'],
        ...[`-Dhadoop.log.dir=${logs}`, `-Dyarn.log.dir=${logs}`],
        ...['-cp', `${conf}:${artifacts.hadoop}/*`, ...args],
      ],
      cwd: directory,
      // Containers get it from the node manager.
      env: {
        JAVA_HOME: artifacts.javaHome,
        HADOOP_CONF_DIR: conf,
        PATH: `${programs}:${process.env['PATH']}`,
      },
      log: join(logs, `${name}.log`),
    });
  const launch = async (name: DaemonName) => {
    daemons.set(name, await java(name, mainClasses[name]));
  };

  const isWhole = async () =>
    (await answers(`http://localhost:${ports.dataNodeWeb}/jmx`)) &&
    (await answers(`${nodeManager}/ws/v1/node/info`)) &&
    (await takesFiles(nameNode)) &&
    (await offersMemory(resourceManager));
  /** Until all four answer, the file system takes files and the node offers its memory. */
  const whole = async () => {
    const deadline = performance.now() + limitMillis;
    while (!(await isWhole())) {
      for (const daemon of daemons.values()) await daemon.check();
      if (performance.now() > deadline) throw new Error(`The cluster did not start:\n${await tails()}`);
      await delay(200);
    }
  };
  const tails = async () =>
    (await Promise.all([...daemons.values()].map(async (d) => `--- ${d.name}\n${await d.tail()}`))).join(
      '\n',
    );

  const close = async () => {
    // Nothing of it is needed any more; what the node manager ran is found by where it runs.
    await Promise.all([...daemons.values()].map((daemon) => daemon.stop('SIGKILL')));
    await endLeftovers(directory);
    await rm(directory, { recursive: true, force: true });
  };

  try {
    await launch('resourceManager');
    const format = await java('format', mainClasses.nameNode, '-format', '-nonInteractive');
    if ((await format.ended) !== 0) throw new Error(`The file system was not made:\n${await format.tail()}`);
    for (const name of ['nameNode', 'dataNode', 'nodeManager'] as const) await launch(name);
    await whole();
    await openDirectories(nameNode);
  } catch (error) {
    await close();
    throw error;
  }

  return {
    directory,
    conf,
    ports,
    resourceManager,
    nodeManager,
    nameNode,
    apex,
    yarn,
    async stop(name, signal) {
      await daemons.get(name)?.stop(signal);
      daemons.delete(name);
    },
    async start(name) {
      await launch(name);
      await whole();
    },
    async administrate(...args) {
      const order = await java('administration', 'org.apache.hadoop.hdfs.tools.DFSAdmin', ...args);
      if ((await order.ended) !== 0) throw new Error(`${args.join(' ')}: ${await order.tail()}`);
    },
    close,
  };
}

const answers = (url: string) =>
  fetch(url).then(
    async (reply) => {
      await reply.arrayBuffer();
      return reply.ok;
    },
    () => false,
  );

/** Whether the resource manager has the node. */
async function offersMemory(resourceManager: string): Promise<boolean> {
  const reply = await fetch(`${resourceManager}/ws/v1/cluster/metrics`).catch(() => undefined);
  if (!reply?.ok) return false;
  const { clusterMetrics } = (await reply.json()) as { clusterMetrics: { activeNodes: number } };
  return clusterMetrics.activeNodes > 0;
}
