import { createWriteStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';

/** Numbers on a console: what the library of operators runs without a line of Java. It never ends by itself. */
export const randomNumbers = {
  displayName: 'Random numbers',
  description: 'Numbers, on a console',
  operators: [
    {
      name: 'rand',
      class: 'com.datatorrent.lib.testbench.RandomEventGenerator',
      properties: { tuplesBlast: 5, tuplesBlastIntervalMillis: 200 },
    },
    { name: 'console', class: 'com.datatorrent.lib.io.ConsoleOutputOperator' },
  ],
  streams: [
    {
      name: 'numbers',
      source: { operatorName: 'rand', portName: 'integer_data' },
      sinks: [{ operatorName: 'console', portName: 'input' }],
    },
  ],
};

/** The same numbers on a topic as well. A launch has to say where: `apex.operator.hub.prop.uri`. */
export const publishedNumbers = (topic: string) => ({
  ...randomNumbers,
  operators: [
    ...randomNumbers.operators,
    {
      name: 'hub',
      class: 'com.datatorrent.lib.io.PubSubWebSocketOutputOperator',
      properties: { topic },
    },
  ],
  streams: [
    {
      name: 'numbers',
      source: { operatorName: 'rand', portName: 'integer_data' },
      sinks: [
        { operatorName: 'console', portName: 'input' },
        { operatorName: 'hub', portName: 'input' },
      ],
    },
  ],
});

type Properties = Readonly<Record<string, string | number | boolean>>;

/** Small enough for three applications on one machine, with everything on that the engine can record. */
const defaults: Properties = {
  'apex.attr.MASTER_MEMORY_MB': 384,
  'apex.operator.*.attr.MEMORY_MB': 256,
  'apex.operator.*.port.*.attr.BUFFER_MEMORY_MB': 32,
  'apex.attr.CHECKPOINT_WINDOW_COUNT': 4,
  'apex.attr.ENABLE_STATS_RECORDING': true,
  'apex.attr.CONTAINER_JVM_OPTIONS':
    '-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -verbose:gc -XX:+PrintGCDetails -XX:+PrintGCDateStamps',
};

export interface PackageContents {
  /** A directory of jars. */
  readonly jars: string;
  /** Jars that it lacks. */
  readonly without?: RegExp;
  /** By name: `app/<name>.json`. */
  readonly applications: Readonly<Record<string, unknown>>;
  /** On top of those that keep everything small. */
  readonly properties?: Properties;
  /** Names of properties that a launch has to give. */
  readonly required?: readonly string[];
  /** By path: properties of one application, or a configuration. */
  readonly settings?: Readonly<Record<string, Properties>>;
  readonly name?: string;
  readonly version?: string;
}

/** Writes an application package as a build of the engine's own tools would. */
export async function writePackage(file: string, contents: PackageContents): Promise<void> {
  const { applications, settings = {}, without } = contents;
  const jars = (await readdir(contents.jars)).filter((jar) => !without?.test(jar));
  const zip = new yazl.ZipFile();
  // The engine's own reader makes no directory that the zip does not have.
  for (const directory of ['META-INF/', 'app/', 'conf/', 'lib/']) zip.addEmptyDirectory(directory);
  const add = (path: string, text: string) => zip.addBuffer(Buffer.from(text), path);
  add('META-INF/MANIFEST.MF', manifest(contents, jars));
  add('META-INF/properties.xml', propertiesXml({ ...defaults, ...contents.properties }, contents.required));
  for (const [path, properties] of Object.entries(settings)) add(path, propertiesXml(properties));
  for (const [name, application] of Object.entries(applications))
    add(`app/${name}.json`, JSON.stringify(application, null, 2));
  for (const jar of jars) zip.addFile(join(contents.jars, jar), `lib/${jar}`);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(file));
}

const manifest = ({ name = 'random-numbers', version = '1.0.0' }: PackageContents, jars: readonly string[]) =>
  [
    'Manifest-Version: 1.0',
    'DT-Engine-Version: 3.7.0',
    'DT-App-Package-Group-Id: org.example',
    `DT-App-Package-Name: ${name}`,
    `DT-App-Package-Version: ${version}`,
    'DT-App-Package-Display-Name: Random numbers',
    `Class-Path: ${jars.map((jar) => `lib/${jar}`).join('\r\n  ')}`,
    '',
    '',
  ].join('\r\n');

/** A configuration package for the packages above. */
export async function writeConfigPackage(file: string, name: string, properties: Properties): Promise<void> {
  const zip = new yazl.ZipFile();
  zip.addEmptyDirectory('META-INF/');
  const manifest = ['Manifest-Version: 1.0', `DT-Conf-Package-Name: ${name}`, '', ''].join('\r\n');
  zip.addBuffer(Buffer.from(manifest), 'META-INF/MANIFEST.MF');
  zip.addBuffer(Buffer.from(propertiesXml(properties)), 'META-INF/properties.xml');
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(file));
}

function propertiesXml(properties: Properties, required: readonly string[] = []): string {
  const lines = [
    ...Object.entries(properties).map(
      ([name, value]) => `  <property><name>${name}</name><value>${value}</value></property>`,
    ),
    ...required.map((name) => `  <property><name>${name}</name></property>`),
  ];
  return `<?xml version="1.0"?>\n<configuration>\n${lines.join('\n')}\n</configuration>\n`;
}
