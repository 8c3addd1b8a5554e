import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Places {
  /** Everything the cluster writes lies below. */
  readonly directory: string;
  readonly hadoop: string;
  readonly ports: Ports;
}

export const portNames = [
  'nameNode',
  'nameNodeWeb',
  'dataNode',
  'dataNodeWeb',
  'dataNodeIpc',
  'resourceManager',
  'resourceManagerScheduler',
  'resourceManagerTracker',
  'resourceManagerAdmin',
  'resourceManagerWeb',
  'nodeManager',
  'nodeManagerLocalizer',
  'nodeManagerWeb',
] as const;
export type Ports = Readonly<Record<(typeof portNames)[number], number>>;

type Properties = Readonly<Record<string, string | number | boolean>>;

/** Writes what all daemons, the command line and the containers read; resolves its directory. */
export async function writeConfiguration(places: Places, more: Properties = {}): Promise<string> {
  const conf = join(places.directory, 'conf');
  await mkdir(conf);
  // The two daemons of the file system refuse to start without the pages that only Hadoop's own tarball has.
  for (const pages of ['hdfs', 'datanode']) await mkdir(join(conf, 'webapps', pages), { recursive: true });
  await Promise.all([
    writeFile(join(conf, 'core-site.xml'), xml(core(places))),
    writeFile(join(conf, 'hdfs-site.xml'), xml(hdfs(places))),
    writeFile(join(conf, 'yarn-site.xml'), xml({ ...yarn(places, conf), ...more })),
    writeFile(join(conf, 'capacity-scheduler.xml'), xml(scheduler)),
    writeFile(join(conf, 'log4j.properties'), log4j),
  ]);
  return conf;
}

const at = (port: number) => `localhost:${port}`;

const core = ({ directory, ports }: Places): Properties => ({
  'fs.defaultFS': `hdfs://${at(ports.nameNode)}`,
  'hadoop.tmp.dir': join(directory, 'tmp'),
});

const hdfs = ({ directory, ports }: Places): Properties => ({
  'dfs.namenode.rpc-address': at(ports.nameNode),
  'dfs.namenode.http-address': at(ports.nameNodeWeb),
  'dfs.namenode.name.dir': `file://${join(directory, 'name')}`,
  'dfs.namenode.safemode.extension': 0,
  'dfs.datanode.address': at(ports.dataNode),
  'dfs.datanode.http.address': at(ports.dataNodeWeb),
  'dfs.datanode.ipc.address': at(ports.dataNodeIpc),
  'dfs.datanode.hostname': 'localhost',
  'dfs.datanode.data.dir': `file://${join(directory, 'data')}`,
  'dfs.replication': 1,
});

const yarn = ({ directory, hadoop, ports }: Places, conf: string): Properties => ({
  'yarn.resourcemanager.address': at(ports.resourceManager),
  'yarn.resourcemanager.scheduler.address': at(ports.resourceManagerScheduler),
  'yarn.resourcemanager.resource-tracker.address': at(ports.resourceManagerTracker),
  'yarn.resourcemanager.admin.address': at(ports.resourceManagerAdmin),
  'yarn.resourcemanager.webapp.address': at(ports.resourceManagerWeb),
  'yarn.nodemanager.address': at(ports.nodeManager),
  'yarn.nodemanager.localizer.address': at(ports.nodeManagerLocalizer),
  'yarn.nodemanager.webapp.address': at(ports.nodeManagerWeb),
  'yarn.nodemanager.local-dirs': join(directory, 'local'),
  // yarn.nodemanager.log-dirs keeps its default: only then does the engine tell the raw addresses of log files.
  'yarn.nodemanager.resource.memory-mb': 6144,
  'yarn.nodemanager.resource.cpu-vcores': 16,
  'yarn.nodemanager.pmem-check-enabled': false,
  'yarn.nodemanager.vmem-check-enabled': false,
  // It would call a node with a rather full disk unhealthy.
  'yarn.nodemanager.disk-health-checker.enable': false,
  // Where it keeps what it knows, when a test turns `yarn.resourcemanager.recovery.enabled` on.
  'yarn.resourcemanager.store.class':
    'org.apache.hadoop.yarn.server.resourcemanager.recovery.FileSystemRMStateStore',
  'yarn.resourcemanager.fs.state-store.uri': `file://${join(directory, 'manager-state')}`,
  'yarn.scheduler.minimum-allocation-mb': 64,
  'yarn.application.classpath': `${conf},${hadoop}/*`,
});

/** One queue, which a single application may fill with masters. */
const scheduler: Properties = {
  'yarn.scheduler.capacity.root.queues': 'default',
  'yarn.scheduler.capacity.root.default.capacity': 100,
  'yarn.scheduler.capacity.maximum-am-resource-percent': 1,
};

/** The appender that the engine's containers name; a daemon writes to its standard error. */
const log4j = `
hadoop.root.logger=INFO,console
hadoop.log.dir=.
hadoop.log.file=hadoop.log
log4j.rootLogger=\${hadoop.root.logger}
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c: %m%n
log4j.appender.RFA=org.apache.log4j.RollingFileAppender
log4j.appender.RFA.File=\${hadoop.log.dir}/\${hadoop.log.file}
log4j.appender.RFA.MaxFileSize=10MB
log4j.appender.RFA.MaxBackupIndex=3
log4j.appender.RFA.layout=org.apache.log4j.PatternLayout
log4j.appender.RFA.layout.ConversionPattern=%d{ISO8601} %p %c: %m%n
`.trimStart();

function xml(properties: Properties): string {
  const lines = Object.entries(properties).map(
    ([name, value]) =>
      `  <property><name>${name}</name><value>${String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</value></property>`,
  );
  return `<?xml version="1.0"?>\n<configuration>\n${lines.join('\n')}\n</configuration>\n`;
}
