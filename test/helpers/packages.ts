import { type EntrySpec, zipBytes } from './zip-bytes.js';

/** The files of a package, by their names. */
export type Files = Readonly<Record<string, string | Buffer>>;

export const manifest = (name: string, version: string, more: readonly string[] = []): string =>
  [
    'Manifest-Version: 1.0',
    `DT-App-Package-Name: ${name}`,
    `DT-App-Package-Version: ${version}`,
    'Class-Path: lib/*.jar',
    ...more,
    '',
    '',
  ].join('\r\n');

export const configuration = (
  properties: Readonly<Record<string, string | null>>,
  description?: string,
): string =>
  `<configuration>${Object.entries(properties)
    .map(
      ([name, value]) =>
        `<property><name>${name}</name>${value === null ? '' : `<value>${value}</value>`}${
          description === undefined ? '' : `<description>${description}</description>`
        }</property>`,
    )
    .join('')}</configuration>`;

/** The smallest package there is, and what is added to it. */
export const packageOf = (
  { name = 'sensors', version = '1.0.0' }: { name?: string; version?: string } = {},
  files: Files = {},
  more: readonly EntrySpec[] = [],
): Buffer =>
  zipBytes({
    entries: [
      ...Object.entries({ 'META-INF/MANIFEST.MF': manifest(name, version), ...files }).map(
        ([name, content]): EntrySpec => ({ name, content }),
      ),
      ...more,
    ],
  });

const sensors = {
  displayName: 'Sensor readings',
  operators: [{ name: 'source', class: 'headgate.io.RandomGenerator' }],
  streams: [],
};

/** One of everything. */
export const fullFiles: Files = {
  'META-INF/MANIFEST.MF': manifest('sensors', '1.0.0', [
    'DT-App-Package-Display-Name: Sensors',
    'DT-App-Package-Description: Readings of many sensors, kept in files that',
    '  grow',
    'DT-App-Package-Group-Id: org.example',
    'DT-Engine-Version: 3.7.0',
  ]),
  'META-INF/properties.xml': configuration(
    { 'dt.operator.source.prop.rate': '10', 'dt.operator.sink.prop.directory': null },
    'Say it',
  ),
  'META-INF/properties-readings.xml': configuration({ 'dt.operator.sink.prop.directory': 'out' }),
  'app/readings.json': JSON.stringify(sensors),
  'app/broken.json': '{"operators": [',
  'app/sensors.properties': 'dt.application.sensors.class=org.example.Sensors\n',
  'app/sensors-1.0.0.jar': zipBytes({ entries: [{ name: 'org/example/none.txt', content: 'no class' }] }),
  'lib/guava.jar': zipBytes({ entries: [{ name: 'none.txt', content: 'nothing' }] }),
  'conf/small.xml': configuration({ 'dt.attr.MASTER_MEMORY_MB': '512' }),
  'conf/large.xml': configuration({ 'dt.attr.MASTER_MEMORY_MB': '2048' }),
  'resources/ui/ui.json': JSON.stringify({
    dashboards: [{ name: 'Readings', file: 'readings.dtdashboard', appNames: ['readings'] }],
  }),
  'resources/ui/readings.dtdashboard': '{}',
  'resources/services.json': JSON.stringify({
    services: [{ name: 'store', type: 'container', srcUrl: 'example/store', container: { run: '-p 80' } }],
    applications: [{ name: 'readings', requiredServices: [{ name: 'store', requiredBeforeLaunch: 'true' }] }],
  }),
};

export const fullPackage = (): Buffer => packageOf({}, fullFiles);
