import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, firefox } from 'playwright-core';
import t from 'tap';
import { run } from '../../helpers/processes.js';
import { snippetsOf } from '../../helpers/snippets.js';
import { root } from '../../helpers/sources.js';
import { packInto } from '../../helpers/tarballs.js';
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
const page = (head: string) =>
  `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">${head}<script type="module" src="page.js"></script><body>`;
for (const [name, bundle] of Object.entries(bundlers)) {
  const folder = join(pages, name);
  mkdirSync(folder, { recursive: true });
  t.strictSame(await bundle(join(project, 'page.js'), folder), [], `${name} warns of nothing`);
  writeFileSync(join(folder, 'index.html'), page(''));
}
const unbundled = join(pages, 'none');
mkdirSync(unbundled);
copyFileSync(join(project, 'page.js'), join(unbundled, 'page.js'));
copyFileSync(join(project, 'node_modules/headgate/dist/bundle/client.js'), join(unbundled, 'client.js'));
const map = '{ "imports": { "headgate/client": "./client.js" } }';
writeFileSync(join(unbundled, 'index.html'), page(`<script type="importmap">${map}</script>`));

const browsers: Readonly<Record<string, () => Promise<Browser>>> = {
  Chromium: () => chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] }),
  // Debian's own, which is driven by WebDriver BiDi.
  Firefox: () => firefox.launch({ channel: 'moz-firefox', executablePath: '/usr/bin/firefox-esr' }),
};

for (const [name, launch] of Object.entries(browsers))
  t.test(name, async (t) => {
    const browser = await launch();
    t.teardown(() => browser.close());
    for (const bundler of [...Object.keys(bundlers), 'none'])
      t.test(`bundled by ${bundler}`, async (t) => {
        const { baseUrl } = await hostOfPages(t, pages);
        const context = await browser.newContext();
        t.teardown(() => context.close());
        const page = await context.newPage();
        const errors: string[] = [];
        page.on('pageerror', (error) => errors.push(String(error)));
        await page.goto(`${baseUrl}/${bundler}/index.html`);
        await page.getByText('admin sees 0 applications').waitFor();
        await page.getByText('0 running').first().waitFor();
        await page.getByText('NOT_FOUND').waitFor();
        t.strictSame(errors, []);

        const ask = (code: string) => page.evaluate<unknown>(code);
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
      });
  });
