import t from 'tap';
import { yarnCluster } from '../../../packages/yarn/index.js';
import { jarOf } from '../../helpers/class-bytes.js';
import { application, operatorClasses } from '../../helpers/operator-jars.js';
import { packageOf } from '../../helpers/packages.js';
import { yarnGateway } from '../../helpers/yarn.js';

// Packages whose applications are code: their classes are read, or the engine's command line runs them.

const files = {
  'app/coded.jar': jarOf([
    application('org.example.Coded', 'Coded'),
    application('org.example.Broken', 'Broken'),
    application('org.example.Lost', 'Lost'),
    ...operatorClasses,
  ]),
};

async function withPackage(t: Parameters<typeof yarnGateway>[0], options: Parameters<typeof yarnGateway>[1]) {
  const { client, double } = await yarnGateway(t, options);
  await client.uploadPackage({ body: packageOf({}, files) });
  const { appPackages } = await client.listPackages({ query: {} });
  const params = { owner: appPackages[0]?.owner ?? '', name: 'sensors', version: '1.0.0' };
  return {
    application: async (appName: string) =>
      client.getPackageApplication({ params: { ...params, appName }, query: {} }),
    operators: async () => client.listPackageOperators({ params, query: {} }),
    /** What ran the package's code. */
    commands: () => [...double.described].sort(),
  };
}

t.test('by the command line: plans of code, default values, and what can not be loaded', async (t) => {
  const { application, operators, commands } = await withPackage(t, { discovery: 'cli' });
  const coded = await application('Coded');
  const [port, properties] = [{ name: 'out', type: 'output' }, { limit: '7' }];
  t.match(coded, {
    type: 'class',
    dag: { operators: [{ name: 'source', class: 'org.example.Source', properties, ports: [port] }] },
  });
  t.notMatch(JSON.stringify(coded), /very secret/);
  t.match(await application('Broken'), { error: 'no luck', errorStackTrace: /at x/ });
  t.match(await application('Lost'), { error: /no application "Lost"/ });
  const { operatorClasses: found, problems } = await operators();
  t.match(found, [
    {
      name: 'org.example.Source',
      title: 'Source',
      outputPorts: [{ name: 'out', type: 'java.lang.Integer' }],
      properties: [{ name: 'limit', type: 'int', description: 'how many' }],
      defaultValue: { limit: 7 },
    },
  ]);
  t.notMatch(JSON.stringify(found), /hush|@class/);
  t.match(problems, [{ file: 'org.example.Bad', message: /NoClassDefFoundError/ }]);
  await operators();
  t.same(commands(), ['get-app-package-info', 'get-app-package-operators'], 'each once for a package');
});

t.test('by default nothing of a package is run', async (t) => {
  const { application, operators, commands } = await withPackage(t, {});
  const coded = await application('Coded');
  t.notOk('dag' in coded || 'error' in coded);
  t.ok((await operators()).operatorClasses.length > 1, 'from the jars');
  t.same(commands(), []);
});

t.test('a command line that is missing or talks nonsense costs what only it knows', async (t) => {
  for (const options of [{ cli: { command: '/no/such/apex' } }, { cliFault: 'garbage' }] as const) {
    const { application, operators } = await withPackage(t, { discovery: 'cli', ...options });
    const coded = await application('Coded');
    t.match(coded, { name: 'Coded', type: 'class' });
    t.notOk('dag' in coded);
    await t.rejects(operators(), { status: 502 } as never);
  }
  t.throws(() => yarnCluster({ resourceManager: 'http://rm:8088', discovery: 'cli' }), {
    message: /needs the option cli/,
  });
});

const xml = (properties: Readonly<Record<string, string | undefined>>) =>
  `<configuration>${Object.entries(properties)
    .map(
      ([name, value]) =>
        `<property><name>${name}</name>${value === undefined ? '' : `<value>${value}</value>`}</property>`,
    )
    .join('')}</configuration>`;

t.test(
  'properties are launched as the package spells them, which the engine compares letter by letter',
  async (t) => {
    const { client, double } = await yarnGateway(t);
    const app = {
      displayName: 'One',
      operators: [{ name: 'rand', class: 'com.example.Random' }],
      streams: [],
    };
    const body = packageOf(
      {},
      {
        'app/One.json': JSON.stringify(app),
        'META-INF/properties.xml': xml({
          'dt.operator.rand.prop.tuplesBlast': undefined,
          'apex.operator.rand.prop.label': undefined,
          'dt.operator.rand.prop.quiet': 'false',
          'apex.operator.rand.prop.ratio': '1',
        }),
        'META-INF/properties-One.xml': xml({
          'dt.operator.rand.prop.ratio': '2',
          'dt.attr.APPLICATION_NAME': undefined,
        }),
      },
    );
    await client.uploadPackage({ body });
    const params = { owner: 'admin', name: 'sensors', version: '1.0.0', appName: 'One' };
    const { appPackages } = await client.listPackages({ query: {} });
    const launch = async (body: Record<string, string>) =>
      client.launchPackageApplication({
        params: { ...params, owner: appPackages[0]?.owner ?? '' },
        body: { 'apex.attr.APPLICATION_NAME': 'named', ...body },
      });
    await t.rejects(launch({ 'dt.operator.rand.prop.label': 'a' }), {
      status: 400,
      message: /Required properties are not set: dt\.operator\.rand\.prop\.tuplesBlast$/,
    } as never);
    const { appId } = await launch({
      'apex.operator.rand.prop.tuplesBlast': '5',
      'platform.operator.rand.prop.label': 'b',
      'apex.operator.rand.prop.quiet': 'true',
      'dt.operator.rand.prop.other': 'c',
    });
    const properties = Object.entries(double.launches[0]?.properties ?? {});
    t.match(Object.fromEntries(properties), {
      'dt.operator.rand.prop.tuplesBlast': '5',
      'apex.operator.rand.prop.label': 'b',
      'dt.operator.rand.prop.quiet': 'true',
      'apex.operator.rand.prop.ratio': '2',
      'dt.operator.rand.prop.ratio': '2',
      'apex.operator.rand.prop.other': 'c',
      'dt.attr.APPLICATION_NAME': 'named',
    });
    const values = new Map<string, string>();
    for (const [name, value] of properties) {
      const key = name.replace(/^dt\./, 'apex.');
      t.equal(values.get(key) ?? value, value, `${name}: one value in all spellings`);
      values.set(key, value);
    }
    t.ok(appId);
  },
);
