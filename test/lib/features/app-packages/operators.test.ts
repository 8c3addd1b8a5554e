import t from 'tap';
import { memoryStorage } from '../../../../adapters/storage/memory.js';
import type { PackageContent, PackageOperators } from '../../../../lib/driver-kit.js';
import { refuses } from '../../../helpers/accounts.js';
import { jarOf } from '../../../helpers/class-bytes.js';
import { emptyCluster } from '../../../helpers/empty-cluster.js';
import { newGateway } from '../../../helpers/gateway.js';
import { application, genericBase, javadoc, operatorClasses } from '../../../helpers/operator-jars.js';
import { packageOf } from '../../../helpers/packages.js';
import { as, people } from '../../../helpers/people.js';

const params = { owner: 'ada', name: 'sensors', version: '1.0.0' };
const at = '/ws/v2/appPackages/ada/sensors/1.0.0';

const appJar = jarOf(
  [...operatorClasses, application('org.example.App', 'Word count'), application('org.example.Other')],
  [{ name: 'META-INF/words-javadoc.xml', content: javadoc }],
);
const files = { 'app/words.jar': appJar, 'lib/base.jar': jarOf([genericBase]), 'lib/broken.jar': 'no jar' };

async function gateway(t: Parameters<typeof newGateway>[0], options: Parameters<typeof newGateway>[1] = {}) {
  const living = await newGateway(t, { auth: people, ...options });
  const ada = living.newClient(as('ada', 'developer'));
  return { ...living, ada };
}

const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);

t.test('class applications are told with the package', async (t) => {
  const { ada } = await gateway(t);
  const meta = await ada.uploadPackage({ body: packageOf({}, { ...files, 'app/bad.jar': 'no jar' }) });
  t.match(
    meta.applications.map(({ name, file, type, error }) => ({ name, file, type, error })),
    [
      { name: 'Word count', file: 'words.jar', type: 'class' },
      { name: 'org/example/Other.class', file: 'words.jar', type: 'class' },
      { name: 'bad.jar', file: 'bad.jar', type: 'class', error: /^it can't be read/ },
    ],
  );
  const [item] = (await ada.listPackages({ query: { hasUI: false } })).appPackages;
  t.strictSame(names(item?.applications ?? []), ['Word count', 'org/example/Other.class', 'bad.jar']);
});

t.test('without a reader jars are named, and one that is given later reads them', async (t) => {
  const documents = memoryStorage();
  const storage = { ...documents, close: async () => {} };
  const { ada, gateway: first } = await gateway(t, { storage, packages: { jars: undefined } });
  const meta = await ada.uploadPackage({ body: packageOf({}, files) });
  t.strictSame(meta.applications, []);
  const { operatorClasses: none, problems } = await ada.listPackageOperators({ params });
  t.strictSame(none, []);
  const message = /createGateway\(\{ packages: \{ jars \} \}\).* @headgate\/jars/;
  t.match(
    problems,
    ['app/words.jar', 'lib/base.jar', 'lib/broken.jar'].map((file) => ({ file, message })),
  );
  await first.close();

  const { ada: later } = await gateway(t, { storage });
  t.strictSame(names((await later.getPackage({ params })).applications), [
    'Word count',
    'org/example/Other.class',
  ]);
  const [item] = (await later.listPackages({ query: { hasUI: false } })).appPackages;
  t.strictSame(names(item?.applications ?? []), ['Word count', 'org/example/Other.class']);
  t.ok(names((await later.listPackageOperators({ params })).operatorClasses).includes('org.example.Words'));
});

t.test('operators are listed, all or those that are asked for', async (t) => {
  const { ada, newClient } = await gateway(t);
  await ada.uploadPackage({ body: packageOf({}, files) });
  const list = async (query: { parent?: string; q?: string; searchTerm?: string } = {}) =>
    names((await ada.listPackageOperators({ params, query })).operatorClasses);

  t.strictSame(await list(), [
    'com.datatorrent.common.util.DefaultDelayOperator',
    'org.example.Source',
    'org.example.Words',
  ]);
  t.strictSame(await list({ q: 'SOURCE' }), ['org.example.Source']);
  t.strictSame(await list({ q: 'at length' }), ['org.example.Words'], 'texts are looked into');
  t.strictSame(await list({ searchTerm: 'count' }), ['org.example.Words'], 'and tags');
  t.strictSame(await list({ q: 'nothing of it' }), []);
  t.strictSame(await list({ parent: 'org.example.lib.Base' }), ['org.example.Words']);
  t.strictSame(await list({ parent: 'org.example.Words' }), ['org.example.Words']);
  t.strictSame(await list({ parent: 'com.datatorrent.api.InputOperator' }), ['org.example.Source']);
  t.strictSame(await list({ parent: 'com.datatorrent.api.Module' }), []);
  await refuses(t, ada.listPackageOperators({ params, query: { parent: 'org.example.Settings' } }), {
    status: 404,
  });

  const { operatorClasses: found } = await ada.listPackageOperators({ params, query: { q: 'words' } });
  t.match(found, [{ title: 'Word Counter', category: 'Text', tags: ['words', 'count'] }]);
  const { problems } = await ada.listPackageOperators({ params });
  t.match(problems, [{ file: 'lib/broken.jar', message: /^it can't be read: This is not a zip archive/ }]);
  t.notOk(Object.hasOwn(found[0] ?? {}, 'ancestors'));
  await refuses(t, newClient(as('bob')).listPackageOperators({ params }), { status: 404 });
  await refuses(t, ada.listPackageOperators({ params: { ...params, version: '9' } }), { status: 404 });
});

t.test('one operator is told with the properties of its properties', async (t) => {
  const { ada } = await gateway(t);
  await ada.uploadPackage({ body: packageOf({}, files) });
  const { properties } = await ada.getPackageOperator({
    params: { ...params, classname: 'org.example.Words' },
  });
  const settings = properties.find(({ name }) => name === 'settings');
  t.strictSame(names(settings?.properties ?? []), ['depth', 'parent']);
  const inner = settings?.properties?.[1]?.properties?.[1]?.properties;
  t.strictSame(names(inner ?? []), ['depth', 'parent']);
  t.equal(inner?.[1]?.properties, undefined, 'a type of itself ends');
  await refuses(t, ada.getPackageOperator({ params: { ...params, classname: 'org.example.None' } }), {
    status: 404,
  });
});

t.test('schemas of property types are deprecated, and whole', async (t) => {
  const { ada, baseUrl } = await gateway(t);
  await ada.uploadPackage({ body: packageOf({}, files) });
  const response = await fetch(`${baseUrl}${at}/classSchemas`, as('ada'));
  t.equal(response.headers.get('deprecation'), 'true');
  t.match(await response.json(), {
    classSchemas: [{ title: 'org.example.Settings' }, { title: 'org.example.Words$Mode' }],
  });
  const schema = (classSchemasName: string) =>
    ada.getClassSchema({ params: { ...params, classSchemasName }, query: { version: '1' } });
  t.strictSame(await schema('org.example.Settings'), {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'class:org.example.Settings',
    title: 'org.example.Settings',
    type: 'object',
    properties: {
      depth: { type: 'integer', minimum: -32768, maximum: 32767 },
      parent: { $ref: 'class:org.example.Settings' },
    },
  });
  t.match(await schema('org.example.Words$Mode'), { type: 'string', enum: ['FAST', 'EXACT'] });
  await refuses(t, schema('org.example.Words'), { status: 404 });
});

t.test('jars are read once, and again when the package is another one', async (t) => {
  const storage = memoryStorage();
  const kept = async () => {
    let count = 0;
    for await (const _ of storage.documents.entries('app-package-jars')) count++;
    return count;
  };
  const { ada } = await gateway(t, { storage });
  await ada.uploadPackage({ body: packageOf({}, files) });
  t.equal(await kept(), 0, 'nobody has asked');
  const all = await Promise.all([1, 2, 3].map(() => ada.listPackageOperators({ params })));
  t.strictSame(all[1], all[0]);
  t.equal(await kept(), 1);

  await ada.uploadPackage({ body: packageOf({}, { 'app/words.jar': appJar }) });
  t.strictSame(
    names((await ada.listPackageOperators({ params, query: { q: 'example' } })).operatorClasses),
    ['org.example.Source'],
    'without the library the other one has no ancestor',
  );
  t.equal(await kept(), 1);
  await ada.deletePackage({ params });
  t.equal(await kept(), 0);
});

t.test("the cluster's own operators join those of jars, or stand for them", async (t) => {
  const port = { name: 'input', optional: false };
  const told = (readsJars: boolean) => ({
    readsJars,
    describe: async (content: PackageContent): Promise<PackageOperators> => ({
      classes: [
        { name: 'script.One', inputPorts: [port], outputPorts: [], properties: [], tags: [content.version] },
        { name: 'org.example.Words', title: 'Mine', inputPorts: [], outputPorts: [], properties: [] },
      ],
      problems: [],
    }),
  });
  for (const readsJars of [false, true]) {
    const cluster = emptyCluster();
    const { ada } = await gateway(t, {
      cluster: {
        ...cluster,
        resourceManager: { ...cluster.resourceManager, packageOperators: told(readsJars) },
      },
    });
    await ada.uploadPackage({ body: packageOf({}, files) });
    const { operatorClasses: found } = await ada.listPackageOperators({ params });
    t.match(
      found,
      readsJars
        ? [{ title: 'Mine' }, { name: 'script.One', tags: ['1.0.0'] }]
        : [
            { title: 'Default delay operator' },
            { name: 'org.example.Source' },
            { title: 'Mine' },
            { name: 'script.One' },
          ],
    );
  }
});
