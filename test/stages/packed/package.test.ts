import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { run, start } from '../../helpers/processes.js';
import { snippetsOf } from '../../helpers/snippets.js';
import { packageFolders, packInto, withOwnDependencies } from '../../helpers/tarballs.js';

// What a stranger gets: the packed tarball in empty projects, with the README's snippets pasted in.

const root = join(import.meta.dirname, '../../../..');
const scratch = mkdtempSync(join(tmpdir(), 'headgate-packed-'));
t.teardown(() => rmSync(scratch, { recursive: true, force: true }));

const tarballs = await packInto(scratch);
const core = tarballs.get('headgate') ?? 'none';

/** An empty project that has installed the core and `packages`, ours from their tarballs. */
async function project(name: string, packages: readonly string[] = []): Promise<string> {
  const folder = join(scratch, name);
  cpSync(join(root, '.npmrc'), join(folder, '.npmrc'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const files = withOwnDependencies(packages).map((name) => tarballs.get(name) ?? name);
  await run('npm', ['install', '--silent', core, ...files], { cwd: folder });
  return folder;
}

const page = snippetsOf(join(root, 'README.md'));
const snippets = new Map(
  page.flatMap(({ attributes, text }): [string, string][] =>
    attributes['file'] === undefined ? [] : [[attributes['file'], text]],
  ),
);

/** The snippet as it stands, but for its port, which may be taken here. */
const onFreePort = (text: string) =>
  text
    .replace('listen(3000', 'listen(0')
    .replace(
      "'listening on http://127.0.0.1:3000'",
      "'listening on http://127.0.0.1:' + server.address().port",
    );

t.test('each package passes publint and are-the-types-wrong', async (t) => {
  for (const [name, tarball] of tarballs) {
    await t.resolves(run('npx', ['publint', '--strict', tarball], { cwd: root }), name);
    const attw = ['attw', tarball, '--profile', 'esm-only', '--no-color'];
    await t.resolves(run('npx', attw, { cwd: root }), name);
  }
});

t.test('the versions of all packages move together', async (t) => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const folder of packageFolders.slice(1)) {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    t.equal(manifest.version, version, manifest.name);
    for (const [name, wanted] of Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies }))
      if (tarballs.has(name)) t.equal(wanted, version, `${manifest.name}: ${name}`);
  }
});

t.test('the command of the core says how to get the server, and which commands there are', async (t) => {
  const folder = await project('command');
  const asked = (...words: string[]) => start('npx', ['headgate', ...words], { cwd: folder });
  const absent = asked('serve', '--port', '0');
  t.equal(await absent.exited, 1);
  t.equal(
    absent.output(),
    'headgate serve needs the package @headgate/server: npm install @headgate/server, or npx @headgate/server in place of npx headgate serve\n',
  );
  const unknown = asked('sreve');
  t.equal(await unknown.exited, 2);
  t.match(unknown.output(), /^headgate: there is no command sreve\n\nUsage:\n {2}headgate serve /);
  const help = asked('--help');
  t.equal(await help.exited, 0);
  t.match(help.output(), /^Usage:\n/);
});

t.test('the core brings no native code', async (t) => {
  const folder = await project('core');
  const installed = readdirSync(join(folder, 'node_modules'), { recursive: true, encoding: 'utf8' });
  t.ok(installed.includes(join('headgate', 'package.json')));
  t.strictSame(
    installed.filter((name) => /\.node$|binding\.gyp$/.test(name)),
    [],
  );
});

/** With what the first snippet of the README installs: what it was when it was last looked at, in megabytes of files. */
const recordedMegabytes = 19.8;

t.test('what is installed stays small', async (t) => {
  const folder = await project('size', ['@headgate/engine', '@headgate/level']);
  const modules = join(folder, 'node_modules');
  const megabytes =
    readdirSync(modules, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0) / 1e6;
  t.ok(megabytes <= 20, `${megabytes.toFixed(1)} MB, at most 20`);
  t.ok(megabytes <= recordedMegabytes * 1.1, `${megabytes.toFixed(1)} MB, and ${recordedMegabytes} before`);
});

/** The files of each tarball, from the root of its package. */
const contents = new Map<string, readonly string[]>();
for (const [name, tarball] of tarballs) {
  const listed = await run('tar', ['-tzf', tarball], { cwd: root });
  contents.set(
    name,
    listed
      .split('\n')
      .filter(Boolean)
      .map((entry) => entry.replace(/^package\//, '')),
  );
}

t.test('the tarballs hold what runs, what tells of it and nothing else', async (t) => {
  const expected =
    /^(dist\/([\w/-]+(\.d\.ts|\.js)|bundle\/LICENSES\.txt)$|package\.json$|README\.md$|LICENSE$|CHANGELOG\.md$)/;
  const ofTheCore =
    /^(docs\/[\w-]+\.md|lib\/interfaces\/[\w-]+\.ts|examples\/(?!.*(node_modules|\/data\/|\.tgz)).*)$/;
  const besides: Readonly<Record<string, RegExp>> = {
    headgate: ofTheCore,
    '@headgate/console': /^dist\/pages\/(index\.html|assets\/[\w.-]+\.(js|css|svg)(\.br|\.gz)?)$/,
    '@headgate/server': /^demo\/access-log\.json$/,
  };
  for (const [name, listed] of contents) {
    const others = listed.filter((entry) => !expected.test(entry) && !besides[name]?.test(entry));
    t.strictSame(others, [], name);
  }
});

t.test('each declaration of the core that another one names is there', async (t) => {
  const listed = contents.get('headgate') ?? [];
  const named = listed
    .filter((entry) => entry.endsWith('.d.ts'))
    .flatMap((entry) =>
      [
        ...readFileSync(join(root, entry), 'utf8').matchAll(
          /\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.js['"]/g,
        ),
      ].map(([, path]) => join(entry, '..', `${path}.d.ts`)),
    );
  t.strictSame(
    named.filter((entry) => !listed.includes(entry)),
    [],
  );
  t.ok(named.length > 300, `${named.length}`);
});

t.test('what a README links to is in its tarball', async (t) => {
  let count = 0;
  for (const folder of packageFolders) {
    const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const text = readFileSync(join(folder, 'README.md'), 'utf8').replace(/^```[\s\S]*?^```$/gm, '');
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)) {
      // Of the repository: `test/package-pages.test.ts`.
      if (/^https:|^\.\.\//.test(target)) continue;
      // A picture is shown from the repository.
      if (target.endsWith('.webp')) continue;
      const isThere = contents.get(name)?.some((entry) => entry === target || entry.startsWith(`${target}/`));
      t.ok(isThere, `${name}: ${target}`);
      count++;
    }
  }
  t.ok(count > 40, `${count}`);
});

/** What was compiled, from the root of its package. */
const declarationsOf = (folder: string): string[] =>
  readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.d.ts'))
    .map((file) => join('dist', file));

t.test('what a doc comment cites comes with its package, or with the core', async (t) => {
  const cited = /(?<![\w./-])(?:[\w.-]+\/)*[\w-]+\.(?:md|ts|sh|js)\b/g;
  const core = contents.get('headgate') ?? [];
  const unknown: string[] = [];
  let count = 0;
  for (const folder of packageFolders) {
    const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const own = contents.get(name) ?? [];
    const compiled = declarationsOf(folder);
    const has = (file: string, among: readonly string[]) =>
      among.some((entry) =>
        [file, file.replace(/\.(ts|js)$/, '.d.ts')].some((end) => entry === end || entry.endsWith(`/${end}`)),
      );
    // Those that no entry point leads to are not shipped, and speak of each other.
    for (const declared of compiled) {
      const among = [...own, ...core, ...(own.includes(declared) ? [] : compiled)];
      const text = readFileSync(join(folder, declared), 'utf8');
      for (const [comment] of text.matchAll(/\/\*\*[\s\S]*?\*\//g))
        for (const [file] of comment.replace(/```[\s\S]*?```/g, '').matchAll(cited)) {
          count++;
          if (!has(file, among)) unknown.push(`${name}/${declared}: ${file}`);
        }
    }
  }
  t.strictSame(unknown, []);
  t.ok(count > 50, `${count}`);
});

t.test('about tells which commit was built', async (t) => {
  const git = (...words: string[]) => run('git', words, { cwd: root }).then((text) => text.trim());
  const { buildInfo } = await import(pathToFileURL(join(root, 'dist/lib/build.js')).href);
  const { installationOf } = await import(
    pathToFileURL(join(root, 'dist/lib/features/cluster/about.js')).href
  );
  t.match(installationOf('1', buildInfo), {
    platformBuildRevision: await git('rev-parse', 'HEAD'),
    platformBuildDate: new Date(Number(await git('log', '-1', '--format=%ct')) * 1000).toISOString(),
  });
});

/** What the README says to install besides the package itself. */
const packagesFor = (file: string): string[] =>
  page
    .filter(({ attributes }) => attributes['install'] === file)
    .flatMap(({ text }) => text.trim().split(' ').slice(3));

const hosts = [
  { file: 'express.mjs', prefix: '/streams', others: 3 },
  { file: 'koa.mjs', prefix: '', others: 3 },
  { file: 'http.mjs', prefix: '', others: 1 },
];

for (const { file, prefix, others } of hosts) {
  t.test(`README: ${file} runs in an empty project`, async (t) => {
    const packages = packagesFor(file);
    t.equal(packages.length, others);
    const folder = await project(file.replace('.', '-'), packages);
    writeFileSync(join(folder, file), onFreePort(snippets.get(file) ?? ''));
    const program = start(process.execPath, [file], { cwd: folder });
    t.teardown(() => program.stop('SIGKILL'));
    const [, url = ''] = await program.printed(/listening on (http:\/\/[\d.:]+)/);
    const health = await fetch(`${url}${prefix}/ws/v2/health`);
    t.strictSame([health.status, await health.json()], [200, { status: 'ok', reasons: [] }]);
    for (const { text } of page.filter(({ attributes }) => attributes['asks'] === file)) {
      const [, password = ''] = /log in as admin with (\S+)/.exec(program.output()) ?? [];
      const command = text.replace('curl', 'curl -s').replace('admin:...', `admin:${password}`);
      const answer = await run('bash', ['-c', command.replace('http://127.0.0.1:3000', url)], {
        cwd: folder,
      });
      t.strictSame(JSON.parse(answer), { apps: [] });
    }
    t.equal(await (await fetch(`${url}/`)).text(), 'my product', 'the host still answers its own paths');
  });
}

t.test(
  'README: an application is launched in 30 lines, and nothing is left when the gateway closes',
  async (t) => {
    const folder = await project('launch', ['@headgate/engine']);
    writeFileSync(join(folder, 'launch.mjs'), snippets.get('launch.mjs') ?? '');
    t.match(
      await run(process.execPath, ['launch.mjs'], { cwd: folder }),
      /^launched application_\d+_0001\n$/,
    );
  },
);

t.test('README: the storage contract runs in node:test', async (t) => {
  const folder = await project('contract', ['@headgate/contracts']);
  writeFileSync(join(folder, 'contract.test.mjs'), snippets.get('contract.test.mjs') ?? '');
  t.match(await run(process.execPath, ['--test', 'contract.test.mjs'], { cwd: folder }), /\bfail 0\b/);
});

t.test('docs/licenses.md: a vendor makes keys and signs what a gateway takes', async (t) => {
  const folder = await project('licenses');
  const page = snippetsOf(join(root, 'docs/licenses.md'));
  for (const { attributes, text } of page) {
    if (attributes['file']) writeFileSync(join(folder, attributes['file']), text);
  }
  let shown = '';
  for (const { text } of page.filter(({ attributes }) => 'vendor' in attributes)) {
    shown = await run('bash', ['-ec', text], { cwd: folder });
  }
  t.match(shown, /"issuedTo": "Example Ltd"/);
  t.equal(statSync(join(folder, 'streams.pem')).mode & 0o077, 0, 'the private key is for its owner');
  const refused: readonly [string, RegExp][] = [
    ['npx headgate-license keys --out streams', /EEXIST/],
    ['npx headgate-license sign terms.json', /--key is missing/],
    ['npx headgate-license sign terms.json --key streams.pub.pem', /holds no private key/],
    [
      `echo '{"product":"p","memoryMb":1}' > t.json; npx headgate-license sign t.json --key streams.pem`,
      /memoryMb/,
    ],
    ['npx headgate-license show terms.json --key streams.pub.pem', /corrupted/],
    ['npx headgate-license --what', /Usage/],
  ];
  for (const [command, message] of refused) {
    await t.rejects(run('bash', ['-ec', command], { cwd: folder }), { message }, command);
  }
  const host = `
    import { readFileSync } from 'node:fs';
    import { createLicenseReader } from 'headgate';
    const read = createLicenseReader({ product: 'streams', publicKeys: [readFileSync('streams.pub.pem', 'utf8')] });
    const { id, memoryMBAllowed } = read(readFileSync('example.license', 'utf8'));
    console.log(id, memoryMBAllowed);`;
  writeFileSync(join(folder, 'host.mjs'), host);
  t.match(await run(process.execPath, ['host.mjs'], { cwd: folder }), /^streams-\d{14}-[0-9a-f]{8} 40960\n$/);
});

/** Their types are those of a package that the host has already. */
const needsFramework = new Set(['./koa', './mail/smtp']);

t.test('CommonJS can require it, and TypeScript knows that', async (t) => {
  const folder = await project('commonjs', [
    ...packageFolders.slice(1).map((folder) => `@headgate/${basename(folder)}`),
    'typescript@6.0.3',
    '@types/node@20',
    '@types/ws@8',
  ]);
  const host = `
    import { createGateway } from 'headgate';
    import { createClient } from 'headgate/client';
    import { httpHandler } from 'headgate/http';
    import { memoryStorage } from 'headgate/storage/memory';
    import { localCluster } from '@headgate/engine';
    import { filesystemStorage } from '@headgate/level';

    async function main() {
      const gateway = await createGateway({
        storage: memoryStorage(),
        cluster: localCluster({ directory: './engine' }),
        auth: 'none',
      });
      console.log(typeof httpHandler(gateway), typeof createClient, typeof filesystemStorage);
      await gateway.close();
      console.log((await import('headgate')).createGateway === createGateway);
    }
    main();`;
  writeFileSync(join(folder, 'host.cts'), host);
  const compilerOptions = { module: 'nodenext', target: 'es2023', strict: true, types: ['node'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  await run('npx', ['tsc', '-p', '.'], { cwd: folder });
  t.match(readFileSync(join(folder, 'host.cjs'), 'utf8'), /require\("headgate"\)/);
  t.equal(await run(process.execPath, ['host.cjs'], { cwd: folder }), 'function function function\ntrue\n');
  const entryPoints = packageFolders.flatMap((folder) => {
    const { name, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return Object.keys(exports)
      .filter((entryPoint) => !needsFramework.has(entryPoint))
      .map((entryPoint) => entryPoint.replace(/^\./, name));
  });
  t.ok(entryPoints.includes('@headgate/yarn') && entryPoints.includes('headgate/client'));
  const each = entryPoints.map((name) => `require('${name}');`).join('\n');
  t.equal(await run(process.execPath, ['-e', each], { cwd: folder }), '');
});

t.test('its types compile in a strict project that has no framework', async (t) => {
  const folder = await project('types', [
    ...packageFolders.slice(1).map((folder) => `@headgate/${basename(folder)}`),
    'typescript@6.0.3',
    '@types/node@20',
    '@types/ws@8',
  ]);
  const entryPoints = packageFolders.flatMap((folder) => {
    const { name, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return Object.keys(exports)
      .filter((entryPoint) => !entryPoint.endsWith('.json') && !needsFramework.has(entryPoint))
      .map((entryPoint) => entryPoint.replace(/^\./, name));
  });
  const code = entryPoints
    .map((entryPoint, index) => `export * as entryPoint${index} from '${entryPoint}';`)
    .join('\n');
  writeFileSync(join(folder, 'host.ts'), code);
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    strict: true,
    types: ['node'],
    noEmit: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  await t.resolves(run('npx', ['tsc', '-p', '.'], { cwd: folder }));
});
