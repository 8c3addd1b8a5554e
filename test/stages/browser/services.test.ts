import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import t from 'tap';
import { processRuntime } from '../../../packages/containers/index.js';
import { newGateway } from '../../helpers/gateway.js';
import { until } from '../../helpers/waiting.js';

// A page that a service serves, through the gateway, as a person sees it.

const root = join(import.meta.dirname, '../../../..');
const directory = mkdtempSync(join(tmpdir(), 'headgate-pages-'));
t.teardown(() => rmSync(directory, { recursive: true, force: true }));
t.test('the page of a service, its style, script and calls work behind the gateway', async (t) => {
  const { client, baseUrl } = await newGateway(t, {
    containers: processRuntime({ directory }),
    services: { stopOnClose: true },
  });
  await client.putService({
    params: { name: 'board' },
    body: {
      type: 'container',
      srcUrl: pathToFileURL(join(root, 'examples/server/services/board.mjs')).href,
      container: { run: `-p 0 ${process.execPath} board.mjs` },
      proxy: { address: '${port}' },
    },
  });
  await until(
    () => client.getService({ params: { name: 'board' } }),
    ({ state }) => state === 'RUNNING',
  );

  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  t.teardown(() => browser.close());
  const page = await browser.newPage();
  const missing: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) missing.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(`${baseUrl}/proxy/services/board/`);
  await page.getByText('It works').waitFor();
  const style = await page.evaluate<string>("getComputedStyle(document.querySelector('li')).fontStyle");
  t.equal(style, 'italic');
  await page.getByPlaceholder('A note').fill('Written through the gateway');
  await page.getByRole('button', { name: 'Pin it' }).click();
  await page.getByText('Written through the gateway').waitFor();
  t.strictSame(
    missing.filter((one) => !one.includes('favicon')),
    [],
  );
});
