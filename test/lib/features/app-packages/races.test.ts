import { createCipheriv, createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import t from 'tap';
import { filesystemStorage } from '../../../../packages/level/index.js';
import { refuses, statuses } from '../../../helpers/accounts.js';
import { testFolder } from '../../../helpers/folder.js';
import { newGateway } from '../../../helpers/gateway.js';
import { configuration, packageOf } from '../../../helpers/packages.js';
import { as, people } from '../../../helpers/people.js';
import { dial } from '../../../helpers/raw.js';
import { until } from '../../../helpers/waiting.js';
import { zipBytes } from '../../../helpers/zip-bytes.js';

const params = { owner: 'ada', name: 'sensors', version: '1.0.0' };
const digestOf = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');
/** Bytes that can't be made smaller, others for each seed. */
const noise = (length: number, seed = 0) =>
  createCipheriv('aes-128-ctr', Buffer.alloc(16, seed), Buffer.alloc(16)).update(Buffer.alloc(length));

async function gateway(t: Parameters<typeof newGateway>[0] & { testdir(): string }) {
  const directory = testFolder(t);
  const storage = await filesystemStorage({ directory });
  const living = await newGateway(t, { storage, auth: people });
  const files = async () => [
    ...(await readdir(join(directory, 'blobs'))),
    ...(await readdir(join(directory, 'staging'))),
  ];
  const ada = living.newClient(as('ada', 'developer'));
  const bytes = async () => Buffer.from(await (await ada.downloadPackage({ params })).arrayBuffer());
  return { ...living, storage, files, ada, bytes };
}

t.test('of uploads of one version at once one wins whole', async (t) => {
  const { ada, bytes, files } = await gateway(t);
  for (let round = 0; round < 5; round++) {
    const bodies = [1, 2, 3, 4].map((n) =>
      packageOf({}, { [`conf/of-${n}.xml`]: configuration({}), 'lib/noise.jar': noise(200_000 * n, n) }),
    );
    t.strictSame(await statuses(bodies.map((body) => ada.uploadPackage({ body }))), [200, 200, 200, 200]);
    const kept = await bytes();
    const winner = bodies.findIndex((body) => body.equals(kept));
    t.ok(winner >= 0, 'it is one of them');
    t.strictSame(
      (await ada.getPackage({ params })).configs,
      [`of-${winner + 1}.xml`],
      'and is described as it is',
    );
    t.equal((await files()).length, 1);
  }
  await ada.deletePackage({ params });
  const failing = [1, 2, 3].map((n) =>
    ada.uploadPackage({
      body: packageOf({}, { 'lib/noise.jar': noise(100_000, n) }),
      query: { merge: 'fail' },
    }),
  );
  t.strictSame((await statuses(failing)).sort(), [200, 412, 412]);
  t.equal((await files()).length, 1);
});

t.test('of changes of one package at once none is lost', async (t) => {
  const { ada, files } = await gateway(t);
  await ada.uploadPackage({ body: packageOf({}, { 'lib/noise.jar': noise(100_000) }) });
  const body = configuration({});
  const puts = Array.from({ length: 8 }, (_, i) =>
    ada.putPackageConfig({ params: { ...params, configName: `c${i}.xml` }, body }),
  );
  const merging = ada.uploadPackage({
    body: packageOf({}, { 'conf/merged.xml': body }),
    query: { merge: 'ours' },
  });
  t.strictSame(
    await statuses([...puts, merging]),
    Array.from({ length: 9 }, () => 200),
  );
  t.equal((await ada.getPackage({ params })).configs.length, 9);
  t.equal((await files()).length, 1);

  const etag = (await ada.downloadPackage({ params })).headers.get('etag') ?? '';
  const guarded = Array.from({ length: 4 }, (_, i) =>
    ada.putPackageConfig({
      params: { ...params, configName: `d${i}.xml` },
      body,
      headers: { 'if-match': etag },
    }),
  );
  t.strictSame((await statuses(guarded)).sort(), [200, 412, 412, 412], 'one of those who saw the same');
});

t.test('too many changes at once are refused', async (t) => {
  const { newClient } = await newGateway(t, { auth: people, packages: { changesAtOnce: 2 } });
  const ada = newClient(as('ada', 'developer'));
  await ada.uploadPackage({ body: packageOf({}, { 'lib/noise.jar': noise(100_000) }) });
  const puts = Array.from({ length: 10 }, (_, i) =>
    ada.putPackageConfig({ params: { ...params, configName: `c${i}.xml` }, body: configuration({}) }),
  );
  const found = await statuses(puts);
  t.ok(found.includes(200) && found.includes(429), found.join());
  t.equal((await ada.getPackage({ params })).configs.length, found.filter((status) => status === 200).length);
});

t.test('a download goes on while the package is replaced and deleted', async (t) => {
  const { ada, baseUrl, files } = await gateway(t);
  const old = packageOf({}, { 'lib/noise.jar': noise(40_000_000) });
  await ada.uploadPackage({ body: Readable.from([old]) });

  const socket = await dial(baseUrl);
  const { headers } = as('ada');
  const head = Object.entries({ ...headers, connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.pause();
  socket.write(
    `GET /ws/v2/appPackages/ada/sensors/1.0.0/download HTTP/1.1\r\nhost: localhost\r\n${head.join('\r\n')}\r\n\r\n`,
  );
  // Its first bytes are here, and the rest does not fit what lies between.
  await until(
    async () => socket.readableLength,
    (length) => length > 0,
  );

  await ada.putPackageConfig({ params: { ...params, configName: 'a.xml' }, body: configuration({}) });
  await ada.uploadPackage({ body: packageOf() });
  await ada.deletePackage({ params });
  t.strictSame((await ada.listPackages()).appPackages, []);

  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.resume();
  await new Promise((resolve) => socket.once('close', resolve));
  const answer = Buffer.concat(chunks);
  const body = answer.subarray(answer.indexOf('\r\n\r\n') + 4);
  t.equal(body.length, old.length);
  t.equal(digestOf(body), digestOf(old), 'it is the package that was asked for, to its last byte');
  t.match(answer.toString('latin1', 0, 1000), new RegExp(`etag: "${digestOf(old)}"`));
  t.strictSame(await files(), []);
});

t.test('versions that come while others go keep what belongs to their name', async (t) => {
  const { ada, storage, files } = await gateway(t);
  const name = { owner: 'ada', name: 'sensors' };
  for (let round = 0; round < 12; round++) {
    await ada.uploadPackage({ body: packageOf() });
    const other = { ...name, version: String(round) };
    const outcome = await statuses([
      ada.deletePackage({ params }),
      ada.uploadPackage({ body: packageOf({ version: other.version }) }),
    ]);
    t.strictSame(outcome, [200, 200]);
    t.ok(await ada.getPackagePermissions({ params: name }), 'the name is there');
    await storage.documents.get('app-package-names', 'ada/sensors').then((kept) => t.ok(kept));
    await ada.deletePackage({ params: other });
    t.notOk(await storage.documents.get('app-package-names', 'ada/sensors'));
  }
  t.strictSame(await files(), []);
});

t.test('what a crash left behind goes at the start, what may be needed stays', async (t) => {
  const directory = testFolder(t);
  const start = async (t: Parameters<typeof newGateway>[0]) => {
    const storage = await filesystemStorage({ directory });
    return { storage, ...(await newGateway(t, { storage, auth: people })) };
  };
  const blobs = async () => (await readdir(join(directory, 'blobs'))).length;
  const body = packageOf();

  await t.test('before', async (t) => {
    const { storage, newClient } = await start(t);
    await newClient(as('ada', 'developer')).uploadPackage({ body });
    await storage.blobs.write('app-packages/orphan', Readable.from([body]));
    await storage.blobs.write('of/somebody/else', Readable.from([body]));
    t.equal(await blobs(), 3);
  });
  await t.test('after', async (t) => {
    const { storage, newClient } = await start(t);
    t.equal(await blobs(), 2);
    const ada = newClient(as('ada', 'developer'));
    t.equal((await ada.listPackages()).appPackages.length, 1);
    await ada.uploadPackage({ body: packageOf({ name: 'other' }) });
    // A later version of the gateway may write documents that this one can't read.
    await storage.documents.write([
      { op: 'put', collection: 'app-packages', key: 'ada/other/1.0.0', value: { from: 'the future' } },
    ]);
  });
  await t.test('with a document that can not be read', async (t) => {
    const { newClient } = await start(t);
    t.equal(await blobs(), 3, 'its archive is kept');
    const ada = newClient(as('ada', 'developer'));
    t.equal((await ada.listPackages()).appPackages.length, 1, 'and the others are there');
  });
});

t.test('what was read by another version of the gateway is read anew', async (t) => {
  const { ada, storage } = await gateway(t);
  const meta = await ada.uploadPackage({
    body: packageOf({}, { 'resources/ui/dashboards/a.dtdashboard': '{}' }),
  });
  const stored = await storage.documents.get('app-packages', 'ada/sensors/1.0.0');
  const { value } = stored ?? {};
  if (!(value instanceof Object && 'id' in value)) throw new Error('it is kept otherwise');
  await storage.documents.write([
    {
      op: 'put',
      collection: 'app-packages',
      key: 'ada/sensors/1.0.0',
      value: { ...value, format: 0, summary: { applications: [] } },
    },
    { op: 'delete', collection: 'app-package-contents', key: String(value.id) },
  ]);
  const { appPackages } = await ada.listPackages({ query: { hasUI: true } });
  t.equal(appPackages[0]?.ui?.dashboards.length, 1);
  t.strictSame(await ada.getPackage({ params }), meta);
});

t.test(
  'what was read of jars is carried along when another file changes, and goes with the package',
  async (t) => {
    const { ada, storage } = await gateway(t);
    const kept = async () => {
      const found: string[] = [];
      for await (const [id] of storage.documents.entries('app-package-jars')) found.push(id);
      return found;
    };
    const change = (configName: string) =>
      ada.putPackageConfig({ params: { ...params, configName }, body: configuration({}) });
    const body = (jar: string) =>
      packageOf({}, { 'app/a.jar': zipBytes({ entries: [{ name: 'a.txt', content: jar }] }) });

    await ada.uploadPackage({ body: body('one') });
    await ada.listPackageOperators({ params });
    const [before, ...others] = await kept();
    t.ok(before);
    t.strictSame(others, []);
    await change('a.xml');
    const [after] = await kept();
    t.ok(after && after !== before, 'it is that of the new archive');
    await ada.uploadPackage({ body: body('two') });
    t.strictSame(await kept(), [], 'other jars are to be read');
    await ada.listPackageOperators({ params });
    t.equal((await kept()).length, 1);
    await ada.deletePackage({ params });
    t.strictSame(await kept(), []);
  },
);

t.test('lists and descriptions open no archive; one that is lost can be replaced or deleted', async (t) => {
  const { ada, storage, files } = await gateway(t);
  const body = packageOf({}, { 'conf/a.xml': configuration({}) });
  await ada.uploadPackage({ body });
  const meta = await ada.uploadPackage({ body: packageOf({ name: 'other' }) });
  for await (const key of storage.blobs.list('app-packages/')) await storage.blobs.delete(key);
  t.strictSame(await files(), []);

  t.equal((await ada.listPackages({ query: { hasUI: false } })).appPackages.length, 2);
  t.strictSame(await ada.getPackage({ params: { ...params, name: 'other' } }), meta);
  t.strictSame((await ada.listPackageConfigs({ params })).configs, ['a.xml']);
  const damaged = { status: 500, code: 'DAMAGED', message: /archive of the package ada\/sensors\/1\.0\.0/ };
  await refuses(t, ada.downloadPackage({ params }), damaged);
  await refuses(t, ada.getPackageConfig({ params: { ...params, configName: 'a.xml' } }), damaged);
  await ada.uploadPackage({ body });
  t.equal((await ada.downloadPackage({ params })).status, 200);
  await ada.deletePackage({ params: { ...params, name: 'other' } });
  t.equal((await ada.listPackages()).appPackages.length, 1);
});
