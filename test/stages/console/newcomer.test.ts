import { join } from 'node:path';
import t from 'tap';
import { root } from '../../helpers/sources.js';
import { until } from '../../helpers/waiting.js';
import { closeBrowser, enter, inWindow } from './browser.js';
import { runningServer } from './running-server.js';

// The way of somebody who has read nothing: from the login to an application of one's own that is watched, has an alert and is
// stopped. No address is typed, and nothing is pressed that does not stand on the screen.

const { baseUrl, client } = await runningServer(t);
t.teardown(closeBrowser);

t.test('upload, edit, launch, watch, alert, stop', (t) =>
  inWindow(t, { baseUrl, program: 'chromium' }, async (page) => {
    await enter(page, baseUrl, '');
    const menu = page.getByRole('navigation').first();
    const press = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();

    await menu.getByRole('link', { name: 'Packages' }).click();
    const chooser = page.waitForEvent('filechooser');
    await press('Upload');
    await (await chooser).setFiles(join(root, 'examples/packages/dist/sensors.apa'));
    await page.getByRole('link', { name: 'Open sensors 1.0.0' }).click();

    await page.getByRole('link', { name: 'Edit Greenhouse' }).click();
    await page.getByRole('group', { name: 'alarmLog', exact: true }).click();
    await page.getByRole('complementary', { name: 'Properties' }).getByLabel('prefix').fill('too warm: ');
    await press('Save');
    await page.getByText('Not saved yet').waitFor({ state: 'hidden' });
    await press('Launch');
    await page.getByLabel(/directory/).fill('readings');
    await press('Launch');

    await page.getByRole('heading', { level: 1, name: 'Greenhouse' }).waitFor();
    await page.getByRole('link', { name: 'Graph' }).click();
    await page.locator('.react-flow__node-operator', { hasText: 'alarms' }).getByText('active').waitFor();
    const { apps } = await client.listApplications({ query: { states: 'RUNNING' } });
    const params = { appid: apps.find(({ name }) => name.toLowerCase() === 'greenhouse')?.id ?? '' };
    const alarmLog = await client.getOperatorProperties({ params: { ...params, opName: 'alarmLog' } });
    t.match(alarmLog, { prefix: 'too warm: ' });

    await menu.getByRole('link', { name: 'Alerts' }).click();
    await page.getByRole('button', { name: 'New alert' }).first().click();
    await page.getByLabel('Name').fill('Two of them');
    await page.getByRole('textbox', { name: 'Condition' }).click();
    await page.keyboard.type("_topic['cl");
    await page.getByRole('option', { name: /cluster\.metrics/ }).click();
    await page.keyboard.type('.numAppsRunning > 1');
    await page.getByText('true: it would be active').waitFor();
    await page.getByLabel('Mail to').fill('ops@example.org');
    await press('Save');
    await page.getByRole('link', { name: '1 alert is active' }).waitFor();

    await menu.getByRole('link', { name: 'Applications' }).click();
    await page.getByRole('link', { name: 'Greenhouse' }).click();
    await press('Shut down');
    await page.getByRole('dialog').getByRole('button', { name: 'Shut down' }).click();
    await until(
      () => client.getApplication({ params }),
      ({ state }) => state === 'FINISHED',
    );
    await page.getByText('finished').first().waitFor();
  }),
);
