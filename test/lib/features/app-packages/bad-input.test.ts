import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { GatewayOptions } from '../../../../lib/index.js';
import { filesystemStorage } from '../../../../packages/level/index.js';
import { refuses } from '../../../helpers/accounts.js';
import { newGateway } from '../../../helpers/gateway.js';
import { configuration, type Files, fullPackage, manifest, packageOf } from '../../../helpers/packages.js';
import { as, people } from '../../../helpers/people.js';
import { dial, toTheEnd } from '../../../helpers/raw.js';
import { until } from '../../../helpers/waiting.js';
import { zipBytes } from '../../../helpers/zip-bytes.js';
import { badArchives } from './bad-archives.js';

/** A gateway that keeps packages in files, and what is in these files. */
async function gatewayWithFiles(
  t: Parameters<typeof newGateway>[0],
  packages: GatewayOptions['packages'] = {},
) {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-bad-packages-'));
  const teardown = (close: () => Promise<void>) =>
    t.teardown(async () => {
      await close();
      await rm(directory, { recursive: true });
    });
  const storage = await filesystemStorage({ directory });
  const living = await newGateway({ teardown }, { storage, auth: people, packages });
  const files = async () => [
    ...(await readdir(join(directory, 'blobs'))),
    ...(await readdir(join(directory, 'staging'))),
  ];
  return { ...living, files, ada: living.newClient(as('ada', 'developer')) };
}

t.test('each bad archive is a 400 that says what is wrong, and nothing is kept', async (t) => {
  const { ada, files } = await gatewayWithFiles(t);
  for (const { what, bytes, code, says } of badArchives.filter(({ limits }) => !limits)) {
    await refuses(t, ada.uploadPackage({ body: bytes }), { status: 400, code, message: says }, what);
  }
  for (const { what, bytes, code, says, limits } of badArchives) {
    if (!limits) continue;
    const limited = await gatewayWithFiles(t, { limits });
    const { ada, files } = limited;
    await refuses(t, ada.uploadPackage({ body: bytes }), { status: 400, code, message: says }, what);
    t.strictSame(await files(), [], what);
  }
  t.strictSame(await files(), []);
  t.strictSame((await ada.listPackages()).appPackages, []);
});

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const manifestOf = (...lines: string[]) => ({ 'META-INF/MANIFEST.MF': lines.join('\n') });
const whole = ['DT-App-Package-Name: a', 'DT-App-Package-Version: 1', 'Class-Path: lib'];
const entity = '<!DOCTYPE a [<!ENTITY b "c">]><configuration/>';

const badContents: readonly { what: string; files: Files; says: RegExp }[] = [
  {
    what: 'a manifest without a name',
    files: manifestOf('Manifest-Version: 1.0'),
    says: /MANIFEST\.MF lacks.*Name/,
  },
  { what: 'without a class path', files: manifestOf(...whole.slice(0, 2)), says: /lacks Class-Path/ },
  { what: 'an empty manifest', files: manifestOf(''), says: /MANIFEST\.MF lacks/ },
  { what: 'no manifest', files: manifestOf('not: one', 'x'), says: /MANIFEST\.MF, line 2/ },
  {
    what: 'a name with a slash',
    files: manifestOf('DT-App-Package-Name: a/b', ...whole.slice(1)),
    says: /Name "a\/b" can't be part of an address/,
  },
  {
    what: 'a version that leads up',
    files: manifestOf('DT-App-Package-Name: a', 'DT-App-Package-Version: ..', 'Class-Path: lib'),
    says: /Version "\.\."/,
  },
  {
    what: 'a version that is an address',
    files: manifestOf('DT-App-Package-Name: a', 'DT-App-Package-Version: permissions', 'Class-Path: lib'),
    says: /may not be "permissions"/,
  },
  {
    what: 'a name and a version that are too long together',
    files: manifestOf(
      `DT-App-Package-Name: ${'ü'.repeat(200)}`,
      `DT-App-Package-Version: ${'ü'.repeat(200)}`,
      'Class-Path: lib',
    ),
    says: /too long: together they may have 510 bytes/,
  },
  {
    what: 'a huge manifest',
    files: manifestOf(...whole, `X: ${'x'.repeat(300_000)}`),
    says: /MANIFEST\.MF is larger than/,
  },
  {
    what: 'entities',
    files: { 'META-INF/properties.xml': entity },
    says: /META-INF\/properties\.xml.*DOCTYPE/,
  },
  {
    what: 'entities of an application',
    files: { 'META-INF/properties-a.xml': entity },
    says: /META-INF\/properties-a\.xml.*DOCTYPE/,
  },
  { what: 'entities in a configuration', files: { 'conf/a.xml': entity }, says: /conf\/a\.xml.*DOCTYPE/ },
  {
    what: 'a NUL in XML',
    files: { 'conf/a.xml': '<configuration>\n<!-- \0 --></configuration>' },
    says: /conf\/a\.xml, line 2: .*no XML file can hold/,
  },
  {
    what: 'a reference to a NUL in XML',
    files: { 'META-INF/properties.xml': configuration({ a: '&#0;' }) },
    says: /META-INF\/properties\.xml, line 1/,
  },
  { what: 'broken XML', files: { 'conf/a.xml': '<configuration>' }, says: /conf\/a\.xml, line 1/ },
  {
    what: 'XML of 10 MB',
    files: {
      'META-INF/properties.xml': configuration({ a: Array.from({ length: 1_500_000 }, (_, i) => i).join() }),
    },
    says: /META-INF\/properties\.xml is larger than/,
  },
  {
    what: 'JSON of 10 MB',
    files: { 'app/a.json': `[${Array.from({ length: 1_500_000 }, (_, i) => i).join()}]` },
    says: /app\/a\.json is larger than/,
  },
  {
    what: 'many large properties of applications',
    files: Object.fromEntries(
      Array.from({ length: 10 }, (_, i) => [
        `META-INF/properties-${i}.xml`,
        configuration({ a: Array.from({ length: 40_000 }, (_, i) => i).join() }),
      ]),
    ),
    says: /properties in META-INF have more than/,
  },
  { what: 'deep JSON', files: { 'app/a.json': deep(100_000) }, says: /app\/a\.json is nested deeper than/ },
  {
    what: 'JSON of many values',
    files: { 'app/a.json': `[${'0,'.repeat(60_000)}0]` },
    says: /app\/a\.json holds more than/,
  },
  {
    what: 'deep services',
    files: { 'resources/services.json': deep(1000) },
    says: /services\.json is nested/,
  },
  {
    what: 'other services',
    files: { 'resources/services.json': '[]' },
    says: /services\.json can't be used/,
  },
  { what: 'broken dashboards', files: { 'resources/ui/ui.json': '{' }, says: /ui\.json.*not JSON/ },
  {
    what: 'too many files that are read',
    files: Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`lib/${i}.jar`, ''])),
    says: /The package has more than 10000 files that a gateway reads/,
  },
  {
    what: 'a manifest of 256 KiB',
    files: {
      'META-INF/MANIFEST.MF': manifest('sensors', '1.0.0', [
        `A: b`,
        ...Array(4_500).fill(` ${'v'.repeat(60)}`),
      ]),
    },
    says: /META-INF\/MANIFEST\.MF is larger than 262144 bytes/,
  },
  {
    what: 'services of 64 KiB',
    files: { 'resources/services.json': `{"services":[]}`.padEnd(64 * 1024 + 1) },
    says: /resources\/services\.json is larger than 65536 bytes/,
  },
  {
    what: 'too many applications',
    files: Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`app/${i}.json`, '{}'])),
    says: /more than 1000 files like app\//,
  },
];

t.test('each bad package is a 400 that names the file, and nothing is kept', async (t) => {
  const { ada, files } = await gatewayWithFiles(t);
  for (const { what, files, says } of badContents) {
    const code =
      /^(?:NOT_A_PACKAGE|MANIFEST_NOT_VALID|NAME_NOT_VALID|XML_NOT_VALID|PACKAGE_(?:FILE_NOT_VALID|LIMIT))$/;
    const refused = { status: 400, code, message: says };
    await refuses(t, ada.uploadPackage({ body: packageOf({}, files) }), refused, what);
  }
  await refuses(t, ada.uploadPackage({ body: zipBytes({ entries: [{ name: 'a' }] }) }), {
    status: 400,
    message: /There is no META-INF\/MANIFEST\.MF/,
  });
  t.strictSame(await files(), []);
});

t.test('what is not too bad is kept, and the package that is there survives what is', async (t) => {
  const { ada, files } = await gatewayWithFiles(t);
  const apps: Files = {
    'app/__proto__.json': '{"__proto__":{}}',
    'app/latin.json': Buffer.from('"\xff"', 'latin1'),
  };
  const meta = await ada.uploadPackage({ body: packageOf({}, apps) });
  t.strictSame(
    meta.applications.map(({ name, error }) => [name, error !== undefined]),
    [
      ['__proto__', true],
      ['latin', true],
    ],
  );
  for (const merge of ['replace', 'ours', 'theirs'] as const) {
    const bad = packageOf({}, { 'conf/a.xml': entity });
    await refuses(t, ada.uploadPackage({ body: bad, query: { merge } }), { status: 400 }, merge);
  }
  await refuses(
    t,
    ada.uploadPackage({ body: packageOf({}, { 'APP/latin.json': '{}' }), query: { merge: 'ours' } }),
    { status: 400, message: /differ only by case/ },
  );
  t.equal((await files()).length, 1);
  t.strictSame(await ada.getPackage({ params: { owner: 'ada', name: 'sensors', version: '1.0.0' } }), meta);
});

t.test('a package over the limit is a 413, told before and found out', async (t) => {
  const { ada, baseUrl, files } = await gatewayWithFiles(t, { limits: { maxBytes: 1000 } });
  const body = fullPackage();
  await refuses(t, ada.uploadPackage({ body }), { status: 413 }, 'told before');
  const chunked = (async function* () {
    for (let at = 0; at < body.length; at += 100) yield body.subarray(at, at + 100);
  })();
  await refuses(t, ada.uploadPackage({ body: chunked }), { status: 413 }, 'found out');
  t.strictSame(await files(), []);
  t.equal((await fetch(`${baseUrl}/ws/v2/health`)).status, 200);
});

t.test('merging makes no package that is over the limit', async (t) => {
  const { ada, files } = await gatewayWithFiles(t, { limits: { maxBytes: 3000 } });
  const large = (letter: string, version?: string) => {
    const names = Array.from({ length: 16 }, (_, i) => `resources/${letter}${i}.txt`);
    return packageOf(version ? { version } : {}, Object.fromEntries(names.map((name) => [name, name])));
  };
  await ada.uploadPackage({ body: large('a') });
  await ada.uploadPackage({ body: large('c', '2') });
  const tooLarge = { status: 413, message: /The package is larger than the limit of 3000 bytes/ };
  await refuses(t, ada.uploadPackage({ body: large('b'), query: { merge: 'ours' } }), tooLarge);
  const target = { user: 'ada', appPackageName: 'sensors', appPackageVersion: '1.0.0' };
  await refuses(t, ada.mergePackages({ params: target, body: { version: '2' } }), tooLarge);
  t.equal((await files()).length, 2);
});

/** Sends the head and so many bytes, and hangs up. */
async function sendAndHangUp(baseUrl: string, body: Buffer, bytes: number): Promise<void> {
  const socket = await dial(baseUrl);
  const { headers } = as('ada', 'developer');
  const head = [
    'POST /ws/v2/appPackages HTTP/1.1',
    'host: localhost',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await new Promise<void>((resolve) => {
    socket.write(body.subarray(0, bytes), () => resolve());
  });
  socket.destroy();
}

t.test('a client that hangs up at any byte leaves nothing', async (t) => {
  const { baseUrl, files, logs, ada } = await gatewayWithFiles(t);
  const uploads = () => logs.filter(({ fields }) => fields['route'] === 'uploadPackage');
  const small = packageOf();
  const noise = packageOf(
    {},
    { 'lib/noise.jar': badArchives.find(({ what }) => /large/.test(what))?.bytes ?? '' },
  );
  t.ok(noise.length > 800_000);
  const cuts = [
    ...Array.from({ length: small.length }, (_, i) => ({ body: small, bytes: i })),
    ...[1000, 65_536, 500_000, noise.length - 100, noise.length - 1].map((bytes) => ({ body: noise, bytes })),
  ];
  let sent = 0;
  for (const { body, bytes } of cuts) {
    await sendAndHangUp(baseUrl, body, bytes);
    sent++;
    // Only so many are under way at once.
    await until(
      async () => uploads().length,
      (done) => done >= sent,
    );
  }
  t.strictSame(
    uploads().filter(({ fields }) => fields['status'] !== 499),
    [],
  );
  t.strictSame(await files(), []);
  t.strictSame((await ada.listPackages()).appPackages, []);
});

t.test('only so many uploads at once', async (t) => {
  const { baseUrl, ada, files } = await gatewayWithFiles(t, { uploadsAtOnce: 2 });
  const body = packageOf();
  const sockets = await Promise.all([dial(baseUrl), dial(baseUrl)]);
  const { headers } = as('ada', 'developer');
  for (const socket of sockets) {
    const head = Object.entries({ ...headers, 'content-length': body.length }).map(([n, v]) => `${n}: ${v}`);
    socket.write(
      `POST /ws/v2/appPackages HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${head.join('\r\n')}\r\n\r\n`,
    );
    socket.write(body.subarray(0, 40));
  }
  await until(
    async () => (await files()).length,
    (staged) => staged === 2,
  );
  await refuses(t, ada.uploadPackage({ body }), {
    status: 429,
    message: /2 uploads of packages are under way/,
  });
  for (const socket of sockets) {
    const answered = toTheEnd(socket);
    socket.write(body.subarray(40));
    t.match(await answered, /^HTTP\/1\.1 200/);
  }
  await ada.uploadPackage({ body });
  t.equal((await files()).length, 1);
});
