import t from 'tap';
import { until } from '../../helpers/waiting.js';
import { closeBrowser, enter, inaccessible, inWindow } from './browser.js';
import { runningServer } from './running-server.js';

const { baseUrl, client } = await runningServer(t);
t.teardown(closeBrowser);

for (const scheme of ['light', 'dark'] as const) {
  for (const width of [1280, 375]) {
    t.test(`the list of applications, ${scheme}, ${width} px`, (t) =>
      inWindow(t, { baseUrl, scheme, width }, async (page) => {
        await enter(page, baseUrl, 'apps');
        await page.getByRole('link', { name: 'Access log' }).waitFor();
        t.strictSame(await inaccessible(page), []);
      }),
    );
  }
}

t.test('a filter and a state are in the address, and come back with it', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, 'apps?q=nothing%20like%20it');
    await page.getByText('No application fits this filter').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByRole('link', { name: 'Access log' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('access');
    await page.waitForURL(/\?q=access$/);
    await page.reload();
    await page.getByRole('link', { name: 'Access log' }).waitFor();
    t.equal(await page.getByLabel('Filter by name, user or id').inputValue(), 'access');
  }),
);

t.test('an application is killed when its name was typed, and restarted from its end', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, 'apps');
    await page.getByRole('button', { name: 'Actions of Access log' }).first().click();
    await page.getByRole('menuitem', { name: 'Kill' }).click();
    const dialog = page.getByRole('dialog', { name: 'Kill Access log?' });
    t.equal(
      await dialog.getByRole('button', { name: 'Kill' }).isEnabled(),
      false,
      'not before the name is typed',
    );
    await dialog.getByLabel('Type Access log to confirm').fill('Access log');
    await dialog.getByRole('button', { name: 'Kill' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('row', { name: 'killed' }).waitFor();
    const { apps } = await client.listApplications();
    t.strictSame(
      apps.map(({ state }) => state),
      ['KILLED'],
    );
    await page.getByRole('button', { name: 'Actions of Access log' }).click();
    await page.getByRole('menuitem', { name: 'Restart' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restart' }).click();
    await until(
      () => client.listApplications({ query: { states: 'RUNNING' } }),
      (list) => list.apps.length === 1,
    );
    await page.getByRole('row', { name: 'running' }).waitFor();
  }),
);
