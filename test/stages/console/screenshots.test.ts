import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t from 'tap';
import { chainSamples } from '../../doubles/flink/flame-graphs.js';
import { packageOf } from '../../helpers/packages.js';
import { root } from '../../helpers/sources.js';
import { until } from '../../helpers/waiting.js';
import { closeBrowser, enter, inWindow } from './browser.js';
import { furnish } from './furnished.js';
import { runningServer } from './running-server.js';
import { flinkWithConsole } from './with-console.js';

// The pictures of docs/console.md: taken of a running engine in each run, and written with `--write` (`npm run screenshots`).

const size = { width: 1200, height: 750 };
/** Bytes of one, and of all. */
const most = { one: 60_000, all: 500_000 };
const home = 'docs/console';

const { baseUrl, client } = await runningServer(t);
t.teardown(closeBrowser);

const { apps } = await until(
  () => client.listApplications({ query: { states: 'RUNNING' } }),
  (list) => list.apps.length === 1,
);
const demo = `apps/${apps[0]?.id}`;
const params = { appid: apps[0]?.id ?? '' };
await furnish(client);
const launched = { owner: 'admin', name: 'log-analytics', version: '1.0.0', appName: 'traffic' };
await client.launchPackageApplication({ params: launched });
await until(
  () => client.getContainerStatsMeta({ params }),
  ({ startTime, endTime }) => endTime - startTime > 30_000,
);
const { containers } = await client.listContainers({ params, query: { states: 'ACTIVE' } });
const streaming = containers.find(({ containerType }) => containerType === 'STREAMING')?.id;
const { logs } = await client.listLogs({ params: { appid: params.appid, containerId: streaming ?? '' } });
// A page of small letters is a large picture: of the shorter ones.
const short = [...logs]
  .filter(({ length }) => Number(length) > 100)
  .sort((one, other) => Number(one.length) - Number(other.length))[0]?.name;

// What Flink alone has.
const flink = await flinkWithConsole(t, { withSql: true });
const job = flink.double.start('orders', { parallelism: 3 });
flink.double.profiling.flameGraph = { endTimestamp: Date.now(), data: chainSamples };
await flink.client.uploadPackage({ body: packageOf({}) });
const words = { owner: 'admin', name: 'sensors', version: '1.0.0', appName: 'words' };
await flink.client.putPackageApplication({
  params: words,
  body: {
    kind: 'sql',
    displayName: 'Count of words',
    statements: [
      "CREATE TABLE words (word STRING) WITH ('connector' = 'datagen')",
      "CREATE TABLE counts (word STRING, n BIGINT) WITH ('connector' = 'print')",
      'INSERT INTO counts SELECT word, COUNT(*) FROM words GROUP BY word',
    ],
  },
  headers: { 'if-match': '*' },
});

interface Picture {
  readonly name: string;
  readonly link: string;
  /** Default: of the bundled server with its engine. */
  readonly of?: { readonly baseUrl: string };
  readonly scheme?: 'dark';
  /** What has to be there. */
  shown(page: Page): Promise<unknown>;
}

const rates = (page: Page) => page.locator('.react-flow__edge text', { hasText: '/s' }).first().waitFor();

const pictures: readonly Picture[] = [
  {
    name: 'applications',
    link: 'apps',
    shown: (page) =>
      page
        .getByRole('row', { name: /running.*\d\/s/ })
        .nth(1)
        .waitFor(),
  },
  {
    name: 'overview',
    link: demo,
    shown: (page) => page.getByRole('figure', { name: 'Memory of the containers' }).waitFor(),
  },
  { name: 'graph', link: `${demo}/graph?color=latency&sel=op:requests`, shown: rates },
  { name: 'graph-dark', link: `${demo}/graph?color=latency&sel=op:requests`, scheme: 'dark', shown: rates },
  {
    name: 'logs',
    link: `${demo}/containers/${streaming}/logs/${short}`,
    shown: (page) => page.locator('.cm-line').first().waitFor(),
  },
  {
    name: 'editor',
    link: 'packages/admin/sensors/1.0.0/apps/greenhouse/edit',
    shown: (page) => page.locator('.react-flow__node').first().waitFor(),
  },
  {
    name: 'sql',
    of: flink,
    link: 'packages/admin/sensors/1.0.0/apps/words/edit',
    async shown(page) {
      const sample = page.getByRole('region', { name: 'Sample', exact: true });
      await sample.getByRole('textbox', { name: 'Query' }).click();
      await page.keyboard.insertText('SELECT word FROM words');
      await sample.getByLabel('Rows at most').fill('5');
      await sample.getByRole('button', { name: 'Take a sample' }).click();
      await sample.getByRole('table', { name: 'Rows of the sample' }).waitFor();
      await sample.scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'flame-graph',
    of: flink,
    link: `apps/${job.id}/operators/${encodeURIComponent('Source: numbers')}?flame=FULL`,
    async shown(page) {
      const flame = page.getByRole('region', { name: 'Flame graph' });
      await flame.getByRole('treeitem', { name: /Parse\.map/ }).waitFor();
      await flame.scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'alerts',
    link: 'alerts',
    shown: (page) => page.getByRole('listitem').getByText('active').first().waitFor(),
  },
];

async function take(page: Page): Promise<Buffer> {
  const protocol = await page.context().newCDPSession(page);
  const { data } = await protocol.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  return Buffer.from(data, 'base64');
}

/** Of a WebP, in either of the forms that Chromium writes. */
function sizeOf(file: Buffer): { width: number; height: number } | undefined {
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WEBP') return undefined;
  const form = file.toString('latin1', 12, 16);
  if (form === 'VP8 ')
    return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff };
  return form === 'VP8X'
    ? { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 }
    : undefined;
}

const isWriting = process.argv.includes('--write');

for (const { name, link, of = { baseUrl }, scheme = 'light', shown } of pictures)
  t.test(`a picture of ${name}`, (t) =>
    inWindow(t, { baseUrl: of.baseUrl, scheme }, async (page) => {
      await page.setViewportSize(size);
      await enter(page, of.baseUrl, link);
      await shown(page);
      // What a caller may do is known.
      await page.getByRole('link', { name: 'Administration' }).waitFor();
      const picture = await take(page);
      t.strictSame(sizeOf(picture), size);
      t.ok(picture.length > 5000 && picture.length < most.one, `${picture.length} bytes`);
      if (!isWriting) return;
      mkdirSync(join(root, home), { recursive: true });
      writeFileSync(join(root, home, `${name}.webp`), picture);
    }),
  );

t.test('docs/console.md shows each of them, and the README one', async (t) => {
  const shownIn = (page: string) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/!\[[^\]]+\]\(([^)]+\.webp)\)/g)].map(
      ([, file]) => file,
    );
  t.strictSame(shownIn('docs/console.md').sort(), pictures.map(({ name }) => `console/${name}.webp`).sort());
  t.strictSame(shownIn('README.md'), [`${home}/applications.webp`]);
  let all = 0;
  for (const { name } of pictures) {
    const path = join(root, home, `${name}.webp`);
    if (!existsSync(path)) {
      t.fail(`${path} is not there: npm run screenshots`);
      continue;
    }
    const file = readFileSync(path);
    t.strictSame(sizeOf(file), size, name);
    all += file.length;
  }
  t.ok(all < most.all, `${all} bytes`);
});
