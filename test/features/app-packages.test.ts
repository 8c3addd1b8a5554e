import { createHash } from 'node:crypto';
import t from 'tap';
import { newGateway } from '../helpers/gateway.js';
import { fullPackage } from '../helpers/packages.js';
import { as, people } from '../helpers/people.js';

t.test('an upload is listed, and tells what it holds', async (t) => {
  const { newClient, baseUrl } = await newGateway(t, { auth: people });
  const ada = newClient(as('ada', 'developer'));
  const content = fullPackage();
  const before = Date.now();
  const meta = await ada.uploadPackage({ body: content });
  t.match(meta, {
    appPackageName: 'sensors',
    appPackageVersion: '1.0.0',
    appPackageGroupId: 'org.example',
    engineVersion: '3.7.0',
    appPackageDisplayName: 'Sensors',
    appPackageDescription: 'Readings of many sensors, kept in files that grow',
    classPath: ['lib/*.jar'],
    appJars: ['sensors-1.0.0.jar'],
    appJsonFiles: ['broken.json', 'readings.json'],
    appPropertiesFiles: ['sensors.properties'],
    requiredProperties: ['dt.operator.sink.prop.directory'],
    defaultProperties: { 'dt.operator.source.prop.rate': '10' },
    configs: ['large.xml', 'small.xml'],
    owner: 'ada',
    canWrite: true,
  });
  t.ok(meta.modificationTime >= before && meta.modificationTime <= Date.now());
  t.strictSame(
    meta.applications.map(({ name, type, displayName }) => ({ name, type, displayName })),
    [
      { name: 'broken', type: 'json', displayName: 'broken' },
      { name: 'readings', type: 'json', displayName: 'Sensor readings' },
      { name: 'sensors', type: 'properties', displayName: 'sensors' },
    ],
  );
  t.match(meta.applications[0]?.error, /app\/broken\.json: it is not JSON/);
  t.strictSame(
    meta.applications[1]?.requiredProperties,
    [],
    'its own properties give what the package asks for',
  );

  const params = { owner: 'ada', name: 'sensors', version: '1.0.0' };
  t.strictSame(await ada.getPackage({ params }), meta);
  const described = await ada.getPackage({ params, query: { includeDescription: true } });
  t.strictSame(described.requiredProperties, {
    'dt.operator.sink.prop.directory': { value: null, description: 'Say it' },
  });
  t.strictSame(described.defaultProperties, {
    'dt.operator.source.prop.rate': { value: '10', description: 'Say it' },
  });

  const { modificationTime } = meta;
  const item = { owner: 'ada', modificationTime, appPackageName: 'sensors', appPackageVersion: '1.0.0' };
  t.strictSame(await ada.listPackages(), { appPackages: [item] });

  const response = await fetch(`${baseUrl}/ws/v2/appPackages/ada/sensors/1.0.0`, as('ada'));
  const digest = createHash('sha256').update(content).digest('hex');
  t.equal(response.headers.get('etag'), `"${digest}"`);
});
