import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { createClient } from '../../../lib/client.js';
import { alertInput, isActive } from '../../helpers/alerts.js';
import { type RunningProgram, run, start } from '../../helpers/processes.js';
import { snippetsOf } from '../../helpers/snippets.js';
import { root } from '../../helpers/sources.js';
import { packInto, withOwnDependencies } from '../../helpers/tarballs.js';
import { until } from '../../helpers/waiting.js';
import { zipBytes } from '../../helpers/zip-bytes.js';

// docs/embedding.md, "Bundlers": a host in one bundle, made of the packed tarballs as the page says, in a folder that has
// nothing else but what stays outside. Each of its child processes and threads is started once.

const scratch = mkdtempSync(join(tmpdir(), 'headgate-bundles-'));
t.teardown(() => rmSync(scratch, { recursive: true, force: true }));
t.setTimeout(550_000);

const host = `
import { createServer } from 'node:http';
import { localCluster } from '@headgate/engine';
import { filesystemStorage } from '@headgate/level';
import { createGateway } from 'headgate';
import { passwordSessions } from 'headgate/auth/password';
import { attachWebSocket, httpHandler } from 'headgate/http';

async function start() {
  // As in Electron: this program is a Node for those only who have the variable.
  const { NO_NODE } = process.env;
  if (NO_NODE) process.execPath = NO_NODE;
  const env = NO_NODE ? { ELECTRON_RUN_AS_NODE: '1' } : {};
  const gateway = await createGateway({
    storage: await filesystemStorage({ directory: './data/storage' }),
    cluster: localCluster({ directory: './data/engine', packageCode: true, env }),
    auth: passwordSessions(),
    initialAdmin: { password: 'correct-horse' },
    alerts: { everyMillis: 250, scripts: { env } },
  });
  const handle = httpHandler(gateway);
  const server = createServer((request, response) => handle(request, response, () => response.writeHead(404).end()));
  const detach = attachWebSocket(server, gateway);
  server.listen(0, '127.0.0.1', () => console.log('listening on http://127.0.0.1:' + server.address().port));
  process.once('SIGTERM', async () => {
    detach();
    server.close();
    server.closeAllConnections();
    await gateway.close();
  });
}
start();
`;

const page = snippetsOf(join(root, 'docs/embedding.md'));
const command = page.find(({ attributes }) => attributes['bundle'] === 'esbuild')?.text ?? 'exit 1';
interface Bundler {
  readonly name: string;
  readonly packages: readonly string[];
  readonly command: string;
  /** Name of its snippet. */
  readonly config?: string;
}
const bundlers: readonly Bundler[] = [
  { name: 'esbuild', packages: ['esbuild@0.28'], command },
  {
    name: 'webpack',
    packages: ['webpack@5', 'webpack-cli@6'],
    command: 'npx webpack',
    config: 'webpack.config.mjs',
  },
  {
    name: 'rollup',
    packages: [
      'rollup@4',
      '@rollup/plugin-commonjs@29',
      '@rollup/plugin-json@6',
      '@rollup/plugin-node-resolve@16',
    ],
    command: 'npx rollup -c rollup.config.mjs',
    config: 'rollup.config.mjs',
  },
  { name: 'vite', packages: ['vite@7'], command: 'npx vite build', config: 'vite.config.mjs' },
];

const tarballs = await packInto(scratch);
const project = join(scratch, 'project');
mkdirSync(project);
cpSync(join(root, '.npmrc'), join(project, '.npmrc'));
writeFileSync(join(project, 'package.json'), '{ "private": true }');
writeFileSync(join(project, 'host.mjs'), host);
for (const { config } of bundlers) {
  const text = page.find(({ attributes }) => attributes['file'] === config)?.text;
  if (config !== undefined) writeFileSync(join(project, config), text ?? '');
}
const own = withOwnDependencies(['headgate', '@headgate/engine', '@headgate/level']);
await run(
  'npm',
  [
    'install',
    '--silent',
    ...own.map((name) => tarballs.get(name) ?? name),
    ...bundlers.flatMap(({ packages }) => packages),
  ],
  { cwd: project },
);

/** What stays outside of a bundle, as it is installed in the project. */
const outside = join(scratch, 'outside');
mkdirSync(outside);
cpSync(join(root, '.npmrc'), join(outside, '.npmrc'));
writeFileSync(join(outside, 'package.json'), '{ "private": true }');
const { version } = JSON.parse(
  readFileSync(join(project, 'node_modules/classic-level/package.json'), 'utf8'),
);
await run('npm', ['install', '--silent', `classic-level@${version}`], { cwd: outside });

/** The package of docs/packages.md, with so much in it that a thread checks it. */
const words = zipBytes({
  entries: [
    ...snippetsOf(join(root, 'docs/packages.md')).flatMap(({ attributes, text }) =>
      attributes['file'] === undefined ? [] : [{ name: attributes['file'], content: text }],
    ),
    { name: 'resources/noise', content: randomBytes(3 * 1024 * 1024) },
  ],
});

/** An application with an operator of a package, and an alert, each in processes of their own. */
async function used(t: Test, program: RunningProgram): Promise<void> {
  const [, baseUrl = ''] = await program.printed(/listening on (\S+)/);
  const client = createClient({ baseUrl });
  t.teardown(() => client.close());
  await client.login({ body: { userName: 'admin', password: 'correct-horse' } });
  t.match(await client.uploadPackage({ body: words }), { appPackageName: 'words' });
  const params = { owner: 'admin', name: 'words', version: '1.0.0' };
  const { operatorClasses } = await client.listPackageOperators({ params });
  t.ok(
    operatorClasses.some(({ name }) => name === 'words.Shout'),
    'its module was looked at',
  );
  const heard = new Promise((resolve) => {
    client.subscribe('words.shouting', resolve);
  });
  await client.launchPackageApplication({
    params: { ...params, appName: 'shouting' },
    query: { config: 'asking.xml' },
  });
  t.match(await heard, /^[A-Z]+\?!$/);
  await client.putAlert({
    params: { name: 'running' },
    body: alertInput('_topic["cluster.metrics"].numAppsRunning > 0'),
  });
  await until(() => client.getAlert({ params: { name: 'running' } }), isActive);
}

/** Starts the host of a folder, uses it and ends it. */
async function lives(t: Test, folder: string, env: Record<string, string> = {}): Promise<void> {
  const program = start(process.execPath, ['host.mjs'], { cwd: folder, env });
  t.teardown(() => program.stop('SIGKILL'));
  await used(t, program).catch((error) => {
    t.comment(program.output());
    throw error;
  });
  t.equal(await program.stop('SIGTERM'), 0);
}

for (const { name, command } of bundlers) {
  t.test(`${name}: one bundle, and the native package beside it`, async (t) => {
    rmSync(join(project, 'bundle'), { recursive: true, force: true });
    await run('bash', ['-ec', command], { cwd: project });
    const folder = join(scratch, name);
    cpSync(join(project, 'bundle'), folder, { recursive: true });
    cpSync(join(outside, 'node_modules'), join(folder, 'node_modules'), { recursive: true });
    t.ok(readdirSync(folder).includes('host.mjs'));
    await lives(t, folder);
  });
}

t.test('child processes of a program that is a Node only when a variable says so', async (t) => {
  const folder = join(scratch, 'esbuild');
  rmSync(join(folder, 'data'), { recursive: true, force: true });
  const electron = join(scratch, 'electron');
  const text = `#!/bin/sh\n[ "$ELECTRON_RUN_AS_NODE" = 1 ] || exit 99\nexec '${process.execPath}' "$@"\n`;
  writeFileSync(electron, text, { mode: 0o755 });
  await lives(t, folder, { NO_NODE: electron });
});
