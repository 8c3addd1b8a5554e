import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { run } from '../../helpers/processes.js';
import { snippetsOf } from '../../helpers/snippets.js';
import { root } from '../../helpers/sources.js';
import { packInto } from '../../helpers/tarballs.js';
import { until } from '../../helpers/waiting.js';
import { browsers } from './browsers.js';
import { bundlers } from './bundlers.js';
import { hostOfPages } from './host-of-pages.js';

// The page of docs/embedding.md with the client of the packed tarball, put together by each bundler and by none, in
// each browser, at a living gateway.

const scratch = mkdtempSync(join(tmpdir(), 'headgate-client-'));
t.teardown(() => rmSync(scratch, { recursive: true, force: true }));

const project = join(scratch, 'project');
mkdirSync(project);
const tarballs = await packInto(scratch);
cpSync(join(root, '.npmrc'), join(project, '.npmrc'));
writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
await run('npm', ['install', '--silent', tarballs.get('headgate') ?? 'none'], { cwd: project });
const [snippet] = snippetsOf(join(root, 'docs/embedding.md')).filter(
  ({ attributes }) => attributes['file'] === 'page.js',
);
// What the test asks it besides.
writeFileSync(join(project, 'page.js'), `${snippet?.text}\nglobalThis.client = client;\n`);

const pages = join(scratch, 'pages');
const watch = `<script>const errors = [];
addEventListener('error', ({ message }) => errors.push(message));
addEventListener('unhandledrejection', ({ reason }) => errors.push(String(reason)));</script>`;
const page = (head: string) =>
  `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">${watch}${head}<script type="module" src="page.js"></script><body>`;
const warnings: string[] = [];
for (const [name, bundle] of Object.entries(bundlers)) {
  const folder = join(pages, name);
  mkdirSync(folder, { recursive: true });
  warnings.push(...(await bundle(join(project, 'page.js'), folder)));
  writeFileSync(join(folder, 'index.html'), page(''));
}
const unbundled = join(pages, 'none');
mkdirSync(unbundled);
copyFileSync(join(project, 'page.js'), join(unbundled, 'page.js'));
copyFileSync(join(project, 'node_modules/headgate/dist/bundle/client.js'), join(unbundled, 'client.js'));
const map = '{ "imports": { "headgate/client": "./client.js" } }';
writeFileSync(join(unbundled, 'index.html'), page(`<script type="importmap">${map}</script>`));

t.test('nobody has to be told how to bundle it', async (t) => {
  t.strictSame(warnings, []);
});

t.test('its types need no types of Node', async (t) => {
  const folder = join(project, 'types');
  mkdirSync(folder);
  const compilerOptions = {
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2023',
    lib: ['es2023', 'dom'],
    types: [],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  writeFileSync(
    join(folder, 'page.ts'),
    `import { createClient } from 'headgate/client';
    const client = createClient();
    const { apps } = await client.listApplications();
    client.subscribe('cluster.metrics', ({ numAppsRunning }) => console.log(numAppsRunning.toFixed()));
    export const answer: Response = await client.downloadPackage({ params: { owner: 'a', name: 'b', version: 'c' } });
    export const count: number = apps.length;
    await client.uploadPackage({ body: new Blob([]) });
    // @ts-expect-error a parameter is misspelt
    void client.getApplication({ params: { appId: 'a' } });
    // @ts-expect-error it is no number
    export const text: string = apps.length;
    // @ts-expect-error a body of another kind
    await client.uploadPackage({ body: 7 });`,
  );
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  await t.resolves(run(process.execPath, [tsc, '-p', '.'], { cwd: folder }));
});

for (const [name, launch] of Object.entries(browsers))
  t.test(name, async (t) => {
    const browser = await launch();
    t.teardown(() => browser.close());
    for (const bundler of [...Object.keys(bundlers), 'none'])
      t.test(`bundled by ${bundler}`, async (t) => {
        const { baseUrl } = await hostOfPages(t, pages);
        const { ask } = await browser.open(`${baseUrl}/${bundler}/index.html`);
        const shown = await until(
          async () => String(await ask('document.body.innerText')),
          (text) => text.includes('NOT_FOUND') && text.includes('0 running'),
        );
        t.match(shown, /^admin sees 0 applications\n/);

        t.strictSame(
          await ask(`client.uploadPackage({ body: new Blob(['no archive']) }).catch(
            ({ name, status, code }) => [name, status, code])`),
          ['ClientError', 400, 'NOT_AN_ARCHIVE'],
        );
        t.match(
          await ask(`client.uploadPackage({ body: new Blob(['a']).stream() }).catch(({ code }) => code)`),
          /^(INVALID_CALL|UNREACHABLE)$/,
          'a stream is never sent as something else',
        );
        await ask('client.logout()');
        t.equal(await ask('client.getProfile().catch(({ code }) => code)'), 'NOT_LOGGED_IN');
        t.strictSame(await ask('errors'), []);
      });
  });
