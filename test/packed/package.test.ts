import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { run, start } from '../helpers/processes.js';
import { snippetsOf } from '../helpers/snippets.js';

// What a stranger gets: the packed tarball in empty projects, with the README's snippets pasted in.

const root = fileURLToPath(new URL('../../..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'headgate-packed-'));
t.teardown(() => rmSync(scratch, { recursive: true, force: true }));

async function packed(): Promise<string> {
  await run('npm', ['run', '-s', 'build'], { cwd: root });
  await run('npm', ['pack', '--silent', '--pack-destination', scratch], { cwd: root });
  const tarball = readdirSync(scratch).find((name) => name.endsWith('.tgz'));
  if (!tarball) throw new Error('npm pack made no tarball');
  return join(scratch, tarball);
}

/** An empty project that has installed the tarball and `packages`. */
async function project(name: string, tarball: string, packages: readonly string[]): Promise<string> {
  const folder = join(scratch, name);
  cpSync(join(root, '.npmrc'), join(folder, '.npmrc'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  await run('npm', ['install', '--silent', tarball, ...packages], { cwd: folder });
  return folder;
}

const tarball = await packed();

t.test('the package passes publint and are-the-types-wrong', async (t) => {
  await t.resolves(run('npx', ['publint', '--strict', tarball], { cwd: root }));
  await t.resolves(
    run('npx', ['attw', tarball, '--profile', 'esm-only', '--format', 'ascii', '--no-color'], { cwd: root }),
  );
});

t.test('the tarball holds what runs and nothing else', async (t) => {
  const listed = await run('tar', ['-tzf', tarball], { cwd: root });
  const strange = listed
    .split('\n')
    .filter(
      (name) =>
        name &&
        !/^package\/(dist\/(lib|adapters|contracts)\/|package\.json$|README\.md$|LICENSE$|CHANGELOG\.md$)/.test(
          name,
        ),
    );
  t.strictSame(strange, []);
});

const packagesOf: Record<string, string[]> = {
  'express.mjs': ['express@5'],
  'koa.mjs': ['koa@3', '@koa/router@15'],
  'http.mjs': [],
};

for (const snippet of snippetsOf(join(root, 'README.md')).filter(({ attributes }) => attributes['file'])) {
  const file = snippet.attributes['file'] ?? '';
  t.test(`README: ${file} runs in an empty project`, async (t) => {
    const folder = await project(file.replace('.', '-'), tarball, packagesOf[file] ?? []);
    // The README's port may be taken here.
    writeFileSync(
      join(folder, file),
      snippet.text
        .replaceAll('listen(3000', 'listen(0')
        .replace(
          "console.log('listening on http://127.0.0.1:3000')",
          "console.log('listening on http://127.0.0.1:' + server.address().port)",
        ),
    );
    const program = start(process.execPath, [file], { cwd: folder });
    t.teardown(() => program.stop('SIGKILL'));
    const [, url = ''] = await program.printed(/listening on (http:\/\/\S+)/);
    const prefix = snippet.text.includes("'/streams'") ? '/streams' : '';
    const health = await fetch(`${url}${prefix}/ws/v2/health`);
    t.strictSame([health.status, await health.json()], [200, { status: 'ok', reasons: [] }]);
    t.equal(await (await fetch(url)).text(), 'my product', 'the host still answers its own paths');
  });
}

t.test('CommonJS can require it', async (t) => {
  const folder = await project('commonjs', tarball, []);
  const code =
    "const { createGateway } = require('headgate'); console.log(typeof createGateway, typeof require('headgate/client').createClient)";
  const printed = await run(process.execPath, ['-e', code], { cwd: folder });
  t.match(printed, /function function/);
});

t.test('its types compile in a strict project without any framework installed', async (t) => {
  const folder = await project('types', tarball, ['typescript@6.0.3', '@types/node@20']);
  writeFileSync(
    join(folder, 'host.ts'),
    snippetsOf(join(root, 'README.md'))
      .find(({ attributes }) => attributes['file'] === 'http.mjs')
      ?.text.replaceAll(
        '(request) =>',
        '(request: unknown): { userName: string; roles: string[] } | undefined => request ? { userName: "a", roles: ["admin"] } : undefined; const unused = (request: { headers: Record<string, string | undefined> }) =>',
      ) ?? '',
  );
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { module: 'nodenext', target: 'es2022', strict: true, types: ['node'], noEmit: true },
    }),
  );
  await t.resolves(run('npx', ['tsc', '-p', '.'], { cwd: folder }));
});
