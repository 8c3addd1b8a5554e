import t from 'tap';
import { jarReader } from '../../../packages/jars/index.js';
import { type ClassSpec, flags, jarOf } from '../../helpers/class-bytes.js';
import { flinkGateway } from '../../helpers/flink.js';
import { newGateway } from '../../helpers/gateway.js';
import { openBytes } from '../../helpers/open-bytes.js';
import { packageOf } from '../../helpers/packages.js';
import { zipBytes } from '../../helpers/zip-bytes.js';

// A jar alone is an application package, where the cluster runs programs of jars.

const main = { name: 'main', descriptor: '([Ljava/lang/String;)V', flags: flags.public | flags.static };
const programOf = (name: string): ClassSpec => ({ name, methods: [main] });
const manifestOf = (...lines: string[]) => ({
  name: 'META-INF/MANIFEST.MF',
  content: ['Manifest-Version: 1.0', ...lines, '', ''].join('\r\n'),
});
const named = ['Implementation-Title: Word count', 'Implementation-Version: 2.1'];
const program = [programOf('org.example.Words')];

function sentAs(baseUrl: string, jar: Buffer, name: string) {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(jar)]), name);
  return fetch(`${baseUrl}/ws/v2/appPackages`, { method: 'POST', body: form });
}

t.test('a jar says which package it is, and is launched as it came', async (t) => {
  const { client, double } = await flinkGateway(t);
  const jar = jarOf(program, [manifestOf(...named, 'Main-Class: org.example.Words')]);
  const meta = await client.uploadPackage({ body: jar });
  t.match(meta, {
    appPackageName: 'Word count',
    appPackageVersion: '2.1',
    appJars: ['Word-count-2.1.jar'],
    applications: [{ name: 'org.example.Words', displayName: 'Words', type: 'class' }],
  });
  const params = { owner: meta.owner, name: 'Word count', version: '2.1' };
  const { appId } = await client.launchPackageApplication({
    params: { ...params, appName: 'org.example.Words' },
  });
  t.match(double.jars.runs, [{ entryClass: 'org.example.Words', jobId: appId }]);
  t.ok(double.jars.taken[0]?.bytes.equals(jar));

  await t.rejects(client.uploadPackage({ body: jar, query: { merge: 'fail' } }), {
    status: 412,
    code: 'PRECONDITION_FAILED',
  });
  await client.uploadPackage({ body: jar, query: { merge: 'ours' } });
  t.match(await client.listPackageApplications({ params }), {
    applications: [{ name: 'org.example.Words' }],
  });
});

t.test('one that does not say it has the name of its file', async (t) => {
  const { client, baseUrl } = await flinkGateway(t);
  const jar = jarOf(program);
  const sent = await sentAs(baseUrl, jar, 'word-count-1.0-SNAPSHOT.jar');
  t.equal(sent.status, 200);
  t.match(await sent.json(), { appPackageName: 'word-count', appPackageVersion: '1.0-SNAPSHOT' });
  const alone = await client.uploadPackage({
    body: jar,
    headers: { 'content-disposition': 'attachment; filename="jobs/other-3.jar"' },
  });
  t.match(alone, { appPackageName: 'other', appPackageVersion: '3' });
  const half = jarOf(program, [manifestOf('Implementation-Title: a/b', 'Implementation-Version: 7')]);
  t.match(await (await sentAs(baseUrl, half, 'fits-1.0.jar')).json(), {
    appPackageName: 'fits',
    appPackageVersion: '7',
  });
  await t.rejects(client.uploadPackage({ body: jar }), {
    status: 400,
    code: 'NOT_A_PACKAGE',
    message: /Implementation-Title and Implementation-Version.*job-1\.0\.jar/,
    details: { missing: ['Implementation-Title', 'Implementation-Version'] },
  });
  const refused = await sentAs(baseUrl, jar, 'job.jar');
  t.equal(refused.status, 400);
});

t.test('what is no job jar is refused, and leaves nothing', async (t) => {
  const { client } = await flinkGateway(t);
  const refuses = (body: Buffer, code: string, message = /./) =>
    t.rejects(client.uploadPackage({ body }), { status: 400, code, message });
  await refuses(Buffer.from('no archive at all'), 'NOT_AN_ARCHIVE');
  await refuses(
    jarOf([{ name: 'org.example.Util' }], [manifestOf(...named)]),
    'NOT_A_PACKAGE',
    /main\(String/,
  );
  await refuses(zipBytes({ entries: [manifestOf(...named)] }), 'NOT_A_PACKAGE', /main\(String/);
  await refuses(
    zipBytes({ entries: [manifestOf('DT-App-Package-Name: half')] }),
    'NOT_A_PACKAGE',
    /lacks DT-App-Package-Version, Class-Path/,
  );
  t.strictSame((await client.listPackages()).appPackages, []);
});

t.test('which classes of a jar are applications', async (t) => {
  const { client } = await flinkGateway(t);
  const hidden = { ...main, flags: flags.static };
  const jar = jarOf(
    [
      programOf('org.example.B'),
      programOf('org.example.A'),
      { name: 'org.example.Inner', flags: 0, methods: [main] },
      { name: 'org.example.Hidden', methods: [hidden] },
      { name: 'org.example.Other', methods: [{ ...main, descriptor: '()V' }] },
      { name: 'org.example.Inherits', extends: 'org.example.A' },
    ],
    [
      manifestOf(
        ...named,
        'program-class: org.example.Inherits, org.example.Gone',
        'Main-Class: org.example.B',
      ),
    ],
  );
  const { applications } = await client.uploadPackage({ body: jar });
  t.strictSame(
    applications.map(({ name, error }) => [name, error]),
    [
      ['org.example.Inherits', undefined],
      ['org.example.Gone', 'the manifest of the jar names org.example.Gone, which is not in it'],
      ['org.example.A', undefined],
      ['org.example.B', undefined],
    ],
  );
});

t.test('libraries of a package go with the jar that is launched', async (t) => {
  const { client, double } = await flinkGateway(t);
  const jar = jarOf(program);
  const library = jarOf([{ name: 'org.example.Util' }]);
  const body = packageOf({ name: 'words' }, { 'lib/deep/no.jar': 'no' }, [
    { name: 'app/job.jar', content: jar },
    { name: 'lib/job.jar', content: library },
  ]);
  const { owner } = await client.uploadPackage({ body });
  const params = { owner, name: 'words', version: '1.0.0', appName: 'org.example.Words' };
  const { appId } = await client.launchPackageApplication({ params });
  const [taken] = double.jars.taken;
  const archive = await openBytes(taken?.bytes ?? Buffer.alloc(0));
  t.strictSame(
    archive.entries.map(({ name }) => name),
    ['lib/', 'lib/0000-job.jar', 'lib/0001-job.jar'],
  );
  for (const [index, sent] of [jar, library].entries()) {
    const entry = archive.entry(`lib/000${index}-job.jar`);
    t.ok(entry && sent.equals(await archive.read(entry, 1_000_000)));
  }
  t.match(double.jars.runs, [{ entryClass: 'org.example.Words', jobId: appId }]);
});

t.test('a large jar is read where it lies, if it is not compressed there', async (t) => {
  const jar = jarOf(
    [programOf('org.example.A'), { name: 'org.example.Util' }],
    [manifestOf(...named), { name: 'data', content: 'x'.repeat(20_000), method: 0 }],
  );
  const { client } = await flinkGateway(t, {}, { packages: { jars: jarReader({ maxJarBytes: 10_000 }) } });
  const { applications } = await client.uploadPackage({ body: jar });
  t.match(applications, [{ name: 'org.example.A', error: undefined }]);
  t.equal(applications.length, 1);
  const inside = (method: 0 | 8) =>
    packageOf({ name: `m${method}` }, {}, [{ name: 'app/job.jar', content: jar, method }]);
  t.match((await client.uploadPackage({ body: inside(0) })).applications, [
    { name: 'org.example.A', error: undefined },
  ]);
  t.match((await client.uploadPackage({ body: inside(8) })).applications, [
    { error: /it can't be read.*10000 bytes/ },
  ]);
});

t.test('where the cluster runs no programs, a jar is no package and a main no application', async (t) => {
  const { client } = await newGateway(t);
  await t.rejects(client.uploadPackage({ body: jarOf(program, [manifestOf(...named)]) }), {
    status: 400,
    code: 'NOT_A_PACKAGE',
  });
});
