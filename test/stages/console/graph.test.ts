import type { Page } from 'playwright-core';
import t from 'tap';
import { until } from '../../helpers/waiting.js';
import { closeBrowser, enter, inaccessible, inWindow } from './browser.js';
import { runningServer } from './running-server.js';
import { launchWide, oddName } from './wide-application.js';

const { baseUrl, client } = await runningServer(t);
t.teardown(closeBrowser);

const { apps } = await until(
  () => client.listApplications({ query: { states: 'RUNNING' } }),
  (list) => list.apps.length === 1,
);
const demo = apps[0]?.id ?? '';

const node = (page: Page, name: string) => page.locator('.react-flow__node-operator', { hasText: name });
const panel = (page: Page) => page.getByRole('region', { name: 'Selected' });
const drawer = (page: Page) => page.getByRole('region', { name: 'Changes of the plan' });

for (const scheme of ['light', 'dark'] as const) {
  for (const width of [1280, 375]) {
    t.test(`the graph, ${scheme}, ${width} px`, (t) =>
      inWindow(t, { baseUrl, scheme, width }, async (page) => {
        await enter(page, baseUrl, `apps/${demo}/graph?color=latency&sel=op:requests`);
        await node(page, 'requests').waitFor();
        await panel(page).getByText('1 partition').waitFor();
        t.strictSame(await inaccessible(page), []);
      }),
    );
  }
}

t.test('operators have their state, streams their rates, and a selection is a link', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, `apps/${demo}/graph`);
    await node(page, 'parse').getByText('active').waitFor();
    await page.locator('.react-flow__edge text', { hasText: '/s' }).first().waitFor();
    await node(page, 'parse').click();
    await page.waitForURL(/sel=op%3Aparse/);
    await panel(page).getByText('headgate.', { exact: false }).first().waitFor();
    await page.reload();
    await panel(page).getByRole('heading', { name: 'parse' }).waitFor();
    await page.getByRole('group', { name: /^Graph of/ }).focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/sel=op%3Are(jected|quests)/);
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => !url.search.includes('sel'));
    await panel(page).waitFor({ state: 'detached' });
  }),
);

t.test('the physical plan has containers around its partitions, and a table with the same', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, `apps/${demo}/graph?mode=physical&color=lag`);
    const { operators } = await client.getPhysicalPlan({ params: { appid: demo } });
    await page.locator('.react-flow__node-container').first().waitFor();
    t.equal(
      await page.locator('.react-flow__node-container').count(),
      new Set(operators.map(({ container }) => container)).size,
    );
    t.equal(await page.locator('.react-flow__node-operator').count(), operators.length);
    await page.getByText('≥ 100 windows').waitFor();
    await page.getByText('Table', { exact: true }).click();
    await page.waitForURL(/view=table/);
    const table = page.getByRole('table', { name: 'Operators and their figures' });
    t.equal(await table.getAttribute('aria-rowcount'), String(operators.length + 1));
    t.strictSame(await inaccessible(page), []);
    await table.getByRole('link').first().click();
    await page.waitForURL(/sel=part%3A/);
    await panel(page).getByRole('rowheader', { name: 'Container' }).waitFor();
  }),
);

t.test(
  '60 operators: one is found by its name, however odd, and the plan is changed in one request',
  async (t) => {
    const id = await launchWide(client);
    await until(
      () => client.getApplication({ params: { appid: id } }),
      ({ state }) => state === 'RUNNING',
    );
    const plan = () => client.getLogicalPlan({ params: { appid: id } });
    await inWindow(t, { baseUrl }, async (page) => {
      await enter(page, baseUrl, `apps/${id}/graph`);
      await node(page, 'source').waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('סינון');
      await page.getByRole('option', { name: oddName }).click();
      await panel(page).getByRole('heading', { name: oddName }).waitFor();
      await node(page, oddName).waitFor();

      await page.getByRole('button', { name: 'Edit plan' }).click();
      await drawer(page).getByRole('button', { name: 'Add operator' }).first().click();
      await drawer(page).getByRole('textbox', { name: 'Name' }).fill('added');
      await drawer(page).getByRole('combobox', { name: 'Class' }).click();
      await drawer(page).getByRole('combobox', { name: 'Class' }).fill('Filter');
      await page.getByRole('option', { name: 'headgate.transform.Filter' }).click();
      await drawer(page).getByRole('button', { name: 'Add operator', exact: true }).last().click();
      await drawer(page).getByText('operator added of headgate.transform.Filter').waitFor();

      await find(page, 'added');
      await panel(page).getByRole('button', { name: 'Set a property' }).click();
      await panel(page).getByRole('combobox', { name: 'Property' }).fill('condition');
      await panel(page).getByRole('textbox', { name: 'Value' }).fill('value > 9007199254740993');
      await panel(page).getByRole('button', { name: 'Set', exact: true }).click();
      await find(page, 'last');
      await panel(page).getByRole('button', { name: 'Connect' }).click();
      await panel(page).getByRole('combobox', { name: 'To' }).click();
      await panel(page).getByRole('combobox', { name: 'To' }).fill('added');
      await page.getByRole('option', { name: 'added' }).click();
      await panel(page).getByRole('button', { name: 'Connect', exact: true }).last().click();
      await drawer(page).getByText('stream last-added: last.output → added.input').waitFor();
      await panel(page).getByRole('button', { name: 'Remove this operator' }).click();
      await page.getByRole('button', { name: 'Undo: operator last', exact: true }).click();

      await page.reload();
      await drawer(page).getByText('stream last-added').first().waitFor();
      t.match(await node(page, 'added').first().innerText(), /^\+/, 'what comes is marked');
      t.strictSame(await inaccessible(page), []);

      await client.changeLogicalPlan({
        params: { appid: id },
        body: { requests: [{ requestType: 'RemoveOperatorRequest', operatorName: 'other' }] },
      });
      await drawer(page).getByRole('button', { name: 'Send 3 changes' }).click();
      const alert = drawer(page).getByRole('alert');
      await alert.getByText('operator other').waitFor();
      t.equal(
        (await plan()).operators.some(({ name }) => name === 'added'),
        false,
        'nothing was sent blindly',
      );
      await alert.getByRole('button', { name: 'Apply mine on top' }).click();
      await drawer(page).getByRole('button', { name: 'Send 3 changes' }).click();
      await drawer(page).waitFor({ state: 'detached' });
      const { operators, streams } = await plan();
      t.match(
        operators.find(({ name }) => name === 'added'),
        { properties: { condition: 'value > 9007199254740993' } },
      );
      t.match(
        streams.find(({ name }) => name === 'last-added'),
        { sinks: [{ operatorName: 'added', portName: 'input' }] },
      );
      await node(page, 'added').waitFor();
    });

    await client.killApplication({ params: { appid: id } });
    await until(
      () => client.getApplication({ params: { appid: id } }),
      ({ state }) => state === 'KILLED',
    );
    await inWindow(t, { baseUrl }, async (page) => {
      await enter(page, baseUrl, `apps/${id}/graph?sel=op:added`);
      await page.getByText('this is its plan as it last was').waitFor();
      await node(page, 'added').waitFor();
      t.equal(
        await page.getByRole('button', { name: 'Edit plan' }).getAttribute('aria-description'),
        'The application does not run',
      );
    });
  },
);

async function find(page: Page, name: string): Promise<void> {
  const field = page.getByRole('combobox', { name: 'Find an operator' });
  await field.click();
  await field.fill(name);
  await page.getByRole('option', { name, exact: true }).click();
  await panel(page).getByRole('heading', { name, exact: true }).waitFor();
}
