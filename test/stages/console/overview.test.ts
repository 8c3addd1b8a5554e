import t from 'tap';
import { until } from '../../helpers/waiting.js';
import { closeBrowser, enter, inaccessible, inWindow } from './browser.js';
import { runningServer } from './running-server.js';

const { baseUrl, client } = await runningServer(t);
t.teardown(closeBrowser);

const { apps } = await until(
  () => client.listApplications({ query: { states: 'RUNNING' } }),
  (list) => list.apps.length === 1,
);
const appid = apps[0]?.id ?? '';
const params = { appid };
const link = `apps/${appid}`;

// What is asked for before anything is kept is an error in the browser's console.
await until(
  () => client.getContainerStatsMeta({ params }),
  ({ startTime, endTime }) => endTime > startTime,
);

for (const scheme of ['light', 'dark'] as const) {
  for (const width of [1280, 375]) {
    t.test(`each screen of an application, ${scheme}, ${width} px`, (t) =>
      inWindow(t, { baseUrl, scheme, width }, async (page) => {
        await enter(page, baseUrl, link);
        const screens = [
          ['', page.getByRole('figure', { name: 'Memory of the containers' })],
          ['/events', page.getByRole('listitem').filter({ hasText: 'StartOperator' }).first()],
          ['/data', page.getByRole('region', { name: 'pathTable.query · table' }).getByRole('table')],
          ['/permissions', page.getByRole('group', { name: 'May see it' })],
        ] as const;
        for (const [path, content] of screens) {
          await page.goto(`${baseUrl}/console/${link}${path}`);
          await content.waitFor();
          t.strictSame(await inaccessible(page), [], path);
          const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
          t.equal(overflow, 0, `${path || 'overview'} needs no sideways scrolling`);
        }
      }),
    );
  }
}

t.test('the overview shows what is kept, and a range stands in its address', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, link);
    const chart = page.getByRole('figure', { name: 'Tuples a second' });
    await chart.getByText('Show data').click();
    await chart.getByRole('cell', { name: /\/s$/ }).first().waitFor();
    const plot = await chart.locator('.u-over').boundingBox();
    if (!plot) return t.fail('no plot');
    await page.mouse.move(plot.x + plot.width * 0.25, plot.y + 20);
    await page.mouse.down();
    await page.mouse.move(plot.x + plot.width * 0.75, plot.y + 20, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/from=\d+&to=\d+/);
    await page.reload();
    await page.getByRole('button', { name: 'Back to live' }).click();
    await page.waitForURL((url) => url.search === '');
    await page.getByText('15 min').click();
    await page.waitForURL(/range=15m/);
    await page.getByText(/^Attributes \(\d+\)$/).click();
    await page.getByLabel('Filter attributes').fill('window_size');
    await page.getByRole('row', { name: 'STREAMING_WINDOW_SIZE_MILLIS 500' }).waitFor();
  }),
);

t.test('permissions are changed and read back', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, `${link}/permissions`);
    const may = page.getByRole('group', { name: 'May change it' });
    await may.getByLabel('Everyone who can log in').check();
    await page.getByRole('button', { name: 'Save permissions' }).click();
    await page.getByText('The permissions are saved').waitFor();
    t.equal((await client.getApplicationPermissions({ params })).readWrite.everyone, true);
  }),
);

t.test('events arrive, wait while somebody reads, and are filtered by the address', (t) =>
  inWindow(t, { baseUrl, width: 800 }, async (page) => {
    await enter(page, baseUrl, `${link}/events`);
    const list = page.getByRole('list', { name: 'Events' });
    await list.getByRole('listitem').first().waitFor();
    await list.hover();
    await page.mouse.wheel(0, 200);
    const { containers } = await client.listContainers({ params, query: { states: 'ACTIVE' } });
    const container = containers.find(({ containerType }) => containerType === 'STREAMING');
    await client.killContainer({ params: { appid, containerId: container?.id ?? '' } });
    const pill = page.getByRole('button', { name: /^↑ \d+ new$/ });
    await pill.waitFor();
    t.equal(await list.getByText('StopContainer').count(), 0, 'what is read does not move');
    await pill.click();
    await list.getByText('StopContainer').first().waitFor();
    await page.getByText(/^StopContainer \d+$/).click();
    await page.waitForURL(/type=StopContainer/);
    await page.reload();
    await list.getByText('StopContainer').first().waitFor();
    t.equal(await list.getByText('StartOperator').count(), 0);
    const { events } = await client.listEvents({ params, query: { limit: 1000 } });
    const stopped = events.filter(({ type }) => type === 'StopContainer');
    t.equal(await list.getByRole('listitem').count(), stopped.length);
    await page
      .getByRole('button', { name: /events?, .* to / })
      .last()
      .click();
    await page.waitForURL(/from=\d+/);
    await list.getByText('StopContainer').first().waitFor();
  }),
);

t.test('a widget shows rows, and the layout survives a reload', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, `${link}/data`);
    const table = page.getByRole('region', { name: 'pathTable.query · table' });
    await table.getByRole('cell', { name: /^\// }).first().waitFor();
    await page.getByRole('button', { name: 'Add widget' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add widget' });
    await dialog.getByRole('combobox', { name: 'Shown as' }).click();
    await page.getByRole('option', { name: 'Bars' }).click();
    await dialog.getByRole('combobox', { name: 'Value' }).click();
    await page.getByRole('option', { name: 'count' }).click();
    await dialog.getByRole('combobox', { name: 'Rows are named by' }).click();
    await page.getByRole('option', { name: 'key' }).click();
    await dialog.getByRole('button', { name: 'Add widget' }).click();
    const bars = page.getByRole('region', { name: 'pathTable.query · bars' });
    await bars.getByRole('progressbar').first().waitFor();
    await page.getByRole('button', { name: 'Change pathTable.query · bars' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Move back' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Wider' }).press('Enter');
    const layout = await until(
      async () => (await client.listOwnSettings())['console.data.Access log'],
      (kept) => JSON.stringify(kept).includes('"width":3'),
    );
    t.match(layout, {
      version: 1,
      widgets: [
        { kind: 'bar', value: 'count', label: 'key', width: 3, height: 2 },
        { kind: 'table', width: 2, height: 2 },
      ],
    });
    await page.reload();
    await bars.getByRole('progressbar').first().waitFor();
    t.match(await page.getByRole('region').first().textContent(), /bars/);
  }),
);

t.test('a layout that can’t be read is told, and gives way to the usual one', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    const setting = { user: 'admin', key: 'console.data.Access log' };
    await client.putSetting({ params: setting, body: { value: { version: 9 } } });
    await enter(page, baseUrl, `${link}/data`);
    await page.getByText(/Your layout of this page can’t be read/).waitFor();
    await page.getByRole('region', { name: 'pathTable.query · table' }).getByRole('table').waitFor();
  }),
);

t.test('an application that has ended says how long it ran, and asks no source', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await client.killApplication({ params });
    await until(
      () => client.getApplication({ params }),
      ({ state }) => state === 'KILLED',
    );
    await enter(page, baseUrl, link);
    await page.getByText('Ran for').waitFor();
    await page.goto(`${baseUrl}/console/${link}/data`);
    await page.getByText('its data sources answer no more').waitFor();
  }),
);
