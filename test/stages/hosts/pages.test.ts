import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { createClient } from '../../../lib/client.js';
import { exchangeOf } from '../../helpers/live-exchange.js';
import { ownPort } from '../../helpers/ports.js';
import { type RunningProgram, run, start } from '../../helpers/processes.js';
import { snippetsOf } from '../../helpers/snippets.js';
import { root } from '../../helpers/sources.js';
import { buildNext, nextBinary, nextEnvironment } from './next.js';
import { hostProject } from './project.js';

// The programs of docs/hosts.md, with our packages from their tarballs and the real frameworks.

const snippets = snippetsOf(join(root, 'docs/hosts.md'));
const project = await hostProject(t);

/** The snippets of these names in a folder of their own, at a port that is free. */
async function pasted(names: readonly string[]): Promise<{ folder: string; port: number }> {
  const port = await ownPort();
  const folder = join(project, `host-${port}`);
  for (const name of names) {
    const found = snippets.find(({ attributes }) => attributes['file'] === name);
    if (!found) throw new Error(`The page has no ${name}`);
    write(folder, name, found.text.replaceAll('3000', String(port)));
  }
  write(folder, 'jsconfig.json', '{}');
  return { folder, port };
}

function write(folder: string, name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

const rename = (folder: string, from: string, to: string) =>
  write(folder, to, readFileSync(join(folder, from), 'utf8'));

async function running(
  t: Test,
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<RunningProgram> {
  const program = start(process.execPath, args, { cwd: folder, env: { ...nextEnvironment, ...env } });
  t.teardown(() => program.stop('SIGKILL'));
  await program.printed(/listening on|Ready in/);
  return program;
}

/** The page's own question, and the host's page. */
async function isMounted(t: Test, port: number, page = /my product/): Promise<void> {
  const asked = snippets.find(({ attributes }) => 'asks' in attributes)?.text ?? '';
  const answer = await run('sh', ['-c', asked.replace('3000', String(port)).replace('curl', 'curl -s')], {
    cwd: project,
  });
  t.strictSame(JSON.parse(answer), { apps: [] });
  t.match(await (await fetch(`http://127.0.0.1:${port}/`)).text(), page);
}

/** The topics, and an end in order. */
async function isLive(t: Test, port: number, program: RunningProgram): Promise<void> {
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}/streams` });
  t.teardown(() => client.close());
  await client.login({ body: { userName: 'admin', password: 'correct-horse' } });
  const exchange = await exchangeOf(client);
  await exchange();
  client.close();
  t.equal(await program.stop('SIGTERM'), 0, program.output());
}

t.test('what the page says to install is what its programs run with', async (t) => {
  const names = snippets
    .filter(({ attributes }) => 'install' in attributes)
    .flatMap(({ text }) => text.trim().split(' ').slice(2));
  t.ok(names.length >= 9, `${names}`);
  for (const name of names) t.ok(existsSync(join(project, 'node_modules', name, 'package.json')), name);
});

for (const file of ['fastify.mjs', 'hono.mjs']) {
  t.test(file, async (t) => {
    const { folder, port } = await pasted(['gateway.mjs', file]);
    const program = await running(t, folder, [file]);
    await isMounted(t, port);
    await isLive(t, port, program);
  });
}

/** As `nest new` writes it. */
const nestSettings = {
  module: 'nodenext',
  moduleResolution: 'nodenext',
  esModuleInterop: true,
  isolatedModules: true,
  emitDecoratorMetadata: true,
  experimentalDecorators: true,
  target: 'ES2023',
  rootDir: './src',
  outDir: './dist',
  skipLibCheck: true,
  strictNullChecks: true,
  types: ['node'],
};

const nestModule = `import { Controller, Get, Module } from '@nestjs/common';

@Controller()
class AppController {
  @Get()
  page(): string {
    return 'my product';
  }
}

@Module({ controllers: [AppController] })
export class AppModule {}
`;

t.test('main.ts', async (t) => {
  const { folder, port } = await pasted(['gateway.mjs', 'main.ts']);
  rename(folder, 'gateway.mjs', 'src/gateway.ts');
  rename(folder, 'main.ts', 'src/main.ts');
  write(folder, 'src/app.module.ts', nestModule);
  write(folder, 'package.json', '{ "private": true }');
  write(folder, 'tsconfig.json', JSON.stringify({ compilerOptions: nestSettings, include: ['src'] }));
  await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'], { cwd: folder });
  const program = await running(t, folder, ['dist/main.js']);
  await isMounted(t, port);
  await isLive(t, port, program);
});

function writePages(folder: string): void {
  write(
    folder,
    'app/layout.js',
    'export default ({ children }) => <html lang="en"><body>{children}</body></html>;\n',
  );
  write(folder, 'app/page.js', 'export default () => <p>my product</p>;\n');
}

t.test('server.mjs, while it is developed', async (t) => {
  const { folder, port } = await pasted(['gateway.mjs', 'server.mjs']);
  writePages(folder);
  const program = await running(t, folder, ['server.mjs'], { NODE_ENV: 'development' });
  await isMounted(t, port);
  const reloads = new WebSocket(`ws://127.0.0.1:${port}/_next/hmr?id=test`);
  t.teardown(() => reloads.terminate());
  await once(reloads, 'open');
  await isLive(t, port, program);
});

t.test('a route handler', async (t) => {
  const files = [
    'gateway.mjs',
    'instrumentation.js',
    'app/streams/[...path]/route.js',
    'next.config.mjs',
  ] as const;
  const { folder, port } = await pasted(files);
  writePages(folder);
  await buildNext(project, folder);
  const args = [nextBinary(project), 'start', '-H', '127.0.0.1', '-p', String(port)];
  const program = await running(t, folder, args, { NEXT_MANUAL_SIG_HANDLE: 'true' });
  await isMounted(t, port);
  const authorization = `Basic ${Buffer.from('admin:correct-horse').toString('base64')}`;
  const topic = `http://127.0.0.1:${port}/streams/ws/v2/topics/cluster.metrics`;
  const events = (await fetch(topic, { headers: { authorization } })).body?.getReader();
  t.match(Buffer.from((await events?.read())?.value ?? []).toString(), /^retry: \d/);
  await events?.cancel();
  t.equal(await program.stop('SIGTERM'), 0, program.output());
});
