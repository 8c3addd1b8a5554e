import puppeteer, { type Page } from 'puppeteer-core';
import t from 'tap';
import { until } from '../../helpers/waiting.js';
import { administrator, runningServer } from './running-server.js';

// The main screens in another engine than Chromium's: opened, clicked and typed in, and read back through the API.

const { baseUrl, client } = await runningServer(t);
const { apps } = await until(
  () => client.listApplications({ query: { states: 'RUNNING' } }),
  (list) => list.apps.length === 1,
);
const { id: appid = '', name: appName = '' } = apps[0] ?? {};

const browser = await puppeteer.launch({ browser: 'firefox', executablePath: '/usr/bin/firefox-esr' });
t.teardown(() => browser.close());
const context = await browser.createBrowserContext();

/** By its role and name, as whoever can't see it finds it. */
const named = (name: string, role: string) => `::-p-aria([name="${name}"][role="${role}"])`;
const text = (content: string) => `::-p-text(${content})`;

async function openPage(): Promise<{ readonly page: Page; readonly found: readonly string[] }> {
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  await page.setViewport({ width: 1280, height: 800 });
  const found: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') found.push(message.text());
  });
  page.on('pageerror', (error) => found.push(String(error)));
  return { page, found };
}

async function at(page: Page, link: string): Promise<void> {
  await page.goto(`${baseUrl}/console/${link}`);
}

t.test('the login, and back to where one was sent from', async (t) => {
  const { page, found } = await openPage();
  await at(page, 'cluster');
  await page.locator(named('User name', 'textbox')).fill(administrator.userName);
  await page.locator('input[type=password]').fill(administrator.password);
  await page.locator(named('Log in', 'button')).click();
  await page.locator(named('Cluster', 'heading')).wait();
  t.match(page.url(), /\/console\/cluster$/);
  t.strictSame(found, []);
  await page.close();
});

t.test('the list, an application, its charts and its graph', async (t) => {
  const { page, found } = await openPage();
  await at(page, '');
  await page.locator(`a${text(appName)}`).click();
  await page.locator('.uplot canvas').wait();
  await page.locator(named('Graph', 'link')).click();
  await page.locator(`.react-flow__node-operator${text('parse')}`).click();
  await page.locator(named('Selected', 'region')).wait();
  t.match(page.url(), /sel=op%3Aparse/);
  t.strictSame(found, []);
  await page.close();
});

t.test('a log', async (t) => {
  const { containers } = await client.listContainers({ params: { appid } });
  const id = containers.find(({ containerType }) => containerType === 'STREAMING')?.id ?? '';
  const { page, found } = await openPage();
  await at(page, `apps/${appid}/containers/${id}/logs/gc.log`);
  await page.locator(`.cm-line${text('Heap Max Capacity')}`).wait();
  t.strictSame(found, []);
  await page.close();
});

t.test('an alert is typed, judged and saved', async (t) => {
  const { page, found } = await openPage();
  await at(page, 'alerts/edit');
  await page.locator(named('Name', 'textbox')).fill('From Firefox');
  await page.locator(named('Mail to', 'textbox')).fill('ops@example.org');
  await page.locator('.cm-content').click();
  const condition = "_topic['cluster.metrics'].numAppsRunning < 1";
  // Brackets and quotes come in pairs: what closes one is typed over it.
  await page.keyboard.type(condition);
  await page.locator(text('false: it would not be active')).wait();
  await page.locator(named('Save', 'button')).click();
  await page.locator(named('Alerts', 'heading')).wait();
  const alert = await client.getAlert({ params: { name: 'From Firefox' } });
  t.match(alert, { condition, email: 'ops@example.org' });
  t.strictSame(found, []);
  await page.close();
});
