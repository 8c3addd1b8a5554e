import type { Page } from 'playwright-core';
import t from 'tap';
import { until } from '../../helpers/waiting.js';
import { closeBrowser, enter, inaccessible, inWindow } from './browser.js';
import { runningServer } from './running-server.js';

const { baseUrl, client } = await runningServer(t);
t.teardown(closeBrowser);

const untilIt = (name: string, state: string) =>
  until(
    () => client.getService({ params: { name } }),
    (service) => service.state === state,
  );

async function choose(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions of ${name}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

t.test('a service is created, changed and deleted by its name', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, 'services');
    await page.getByRole('button', { name: 'Create a service' }).first().click();
    const form = page.getByRole('dialog', { name: 'Create a service' });
    await form.getByLabel(/^Name/).fill('search');
    await form.getByLabel('What runs').fill('node --version');
    await form.getByLabel('Metadata').fill('port=8080');
    await form.getByLabel('The gateway keeps it running').uncheck();
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    await form.waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'search' }).click();
    await page.waitForURL(/services\/detail\?name=search/);
    await until(
      () => client.getService({ params: { name: 'search' } }),
      ({ state }) => state !== 'INSTALLING',
    );
    await page.reload();
    await page.getByRole('heading', { name: 'search' }).waitFor();
    await page.getByRole('button', { name: 'Change' }).click();
    const change = page.getByRole('dialog', { name: 'Change search' });
    await change.getByLabel('Description').fill('finds things');
    await change.getByRole('button', { name: 'Save' }).click();
    await change.waitFor({ state: 'hidden' });
    t.match(await client.getService({ params: { name: 'search' } }), {
      description: 'finds things',
      metadata: { port: '8080' },
    });
    await choose(page, 'search', 'Delete');
    await page.getByLabel('Type search to confirm').fill('search');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No service yet').waitFor();
    t.strictSame(await client.listServices(), { services: [] });
  }),
);

t.test('several are installed at once, stopped and started again', (t) =>
  inWindow(t, { baseUrl, allowed: /^400 / }, async (page) => {
    await enter(page, baseUrl, 'services');
    await page.getByRole('button', { name: 'Install several' }).click();
    const dialog = page.getByRole('dialog', { name: 'Install several services' });
    const install = async (text: string) => {
      await dialog.getByRole('textbox', { name: 'Services as JSON' }).click();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.insertText(text);
      await dialog.getByRole('button', { name: 'Install', exact: true }).click();
    };
    await install('{"name": "clock"}');
    await dialog.getByText('This is no JSON list').waitFor();
    t.strictSame(await inaccessible(page), []);
    const run = `node -e "setInterval(() => {}, 1000)"`;
    await install(JSON.stringify([{ name: 'clock', type: 'container', container: { run }, enabled: true }]));
    await dialog.waitFor({ state: 'hidden' });
    await untilIt('clock', 'RUNNING');
    await page.getByRole('row', { name: /running .*clock/i }).waitFor();

    await choose(page, 'clock', 'Stop');
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await untilIt('clock', 'STOPPED');
    await page.getByRole('row', { name: /stopped .*clock/i }).waitFor();
    await choose(page, 'clock', 'Start');
    await untilIt('clock', 'RUNNING');
    await choose(page, 'clock', 'Delete');
    await page.getByLabel('Type clock to confirm').fill('clock');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No service yet').waitFor();
    t.strictSame(await client.listServices(), { services: [] });
  }),
);
