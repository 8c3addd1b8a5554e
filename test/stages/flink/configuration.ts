import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const portNames = ['rpc', 'rest'] as const;
export type Ports = Readonly<Record<(typeof portNames)[number], number>>;

export type FlinkOptions = Readonly<Record<string, string | number | boolean>>;

const loopback = '127.0.0.1';

/** Heaps of the processes, MB. Flink's own scripts would work them out from the memory of the whole process. */
export const heapMB = { jobManager: 448, taskManager: 512 } as const;

/** Writes what all processes of a cluster read; resolves its directory. `more`: on top of, or instead of, what is here. */
export async function writeConfiguration(
  directory: string,
  ports: Ports,
  slots: number,
  more: FlinkOptions,
): Promise<string> {
  const conf = join(directory, 'conf');
  await mkdir(conf);
  const options = { ...network(ports), ...files(directory), ...memory, ...more };
  const lines = Object.entries({ 'taskmanager.numberOfTaskSlots': slots, ...options }).map(
    ([name, value]) => `${name}: ${JSON.stringify(value)}\n`,
  );
  await writeFile(join(conf, 'config.yaml'), lines.join(''));
  await writeFile(join(conf, 'log4j.properties'), log4j);
  return conf;
}

/** What has no port here takes any that is free. */
const network = (ports: Ports): FlinkOptions => ({
  'jobmanager.rpc.address': loopback,
  'jobmanager.rpc.port': ports.rpc,
  'jobmanager.bind-host': loopback,
  'taskmanager.host': loopback,
  'taskmanager.bind-host': loopback,
  'rest.address': loopback,
  'rest.bind-address': loopback,
  'rest.port': ports.rest,
  // Ten seconds are too few for a machine with much else to do: the processes would end.
  'pekko.startup-timeout': '120 s',
});

const files = (directory: string): FlinkOptions => {
  const url = (name: string) => pathToFileURL(join(directory, name)).href;
  return {
    'io.tmp.dirs': join(directory, 'tmp'),
    'web.tmpdir': join(directory, 'tmp'),
    'execution.checkpointing.dir': url('checkpoints'),
    'execution.checkpointing.savepoint-dir': url('savepoints'),
  };
};

/** A task manager takes no size for granted; heaps are parts of `heapMB.taskManager`. */
const memory: FlinkOptions = {
  'taskmanager.cpu.cores': 1,
  'taskmanager.memory.task.heap.size': '384m',
  'taskmanager.memory.framework.heap.size': '128m',
  'taskmanager.memory.task.off-heap.size': '0b',
  'taskmanager.memory.framework.off-heap.size': '64m',
  'taskmanager.memory.network.min': '64m',
  'taskmanager.memory.network.max': '64m',
  'taskmanager.memory.managed.size': '64m',
  'taskmanager.memory.jvm-metaspace.size': '200m',
  'taskmanager.memory.jvm-overhead.min': '128m',
  'taskmanager.memory.jvm-overhead.max': '128m',
};

/** The file that the REST API shows, and nothing elsewhere but what the JVM itself prints. */
const log4j = `
rootLogger.level = INFO
rootLogger.appenderRef.file.ref = File
appender.file.name = File
appender.file.type = File
appender.file.fileName = \${sys:log.file}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{yyyy-MM-dd HH:mm:ss,SSS} %-5p %-60c %x - %m%n
`.trimStart();
