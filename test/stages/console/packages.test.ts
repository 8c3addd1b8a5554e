import type { Page } from 'playwright-core';
import t from 'tap';
import { until } from '../../helpers/waiting.js';
import { closeBrowser, enter, inaccessible, inWindow } from './browser.js';
import { runningServer } from './running-server.js';

const { baseUrl, client } = await runningServer(t);
t.teardown(closeBrowser);

const sensors = { owner: 'admin', name: 'sensors', version: '1.0.0' };
const place = 'packages/admin/sensors/1.0.0';
const ref = { ...sensors, appName: 'greenhouse' };

t.test('a new user imports a package with one click, and opens it', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, 'packages');
    await page.getByText('No package yet').waitFor();
    await page.getByRole('button', { name: 'Import Sensors' }).click();
    await page.getByRole('link', { name: 'sensors' }).click();
    await page.getByRole('heading', { level: 3, name: 'Greenhouse' }).waitFor();
    t.match((await client.listPackages()).appPackages, [{ appPackageName: 'sensors' }]);
  }),
);

t.test('what is no package is refused with the gateway’s words; one that is there is asked about', (t) =>
  inWindow(t, { baseUrl, allowed: /^(400|412) / }, async (page) => {
    await enter(page, baseUrl, 'packages');
    const choose = async (name: string, buffer: Buffer) => {
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await (await chooser).setFiles({ name, mimeType: 'application/zip', buffer });
    };
    await choose('broken.apa', Buffer.from('PK no archive at all'));
    const refusal = page.getByRole('alert').filter({ hasText: 'broken.apa was not taken' });
    await refusal.waitFor();
    t.match(await refusal.innerText(), /archive|zip/i);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    const archive = await client.downloadPackage({ params: sensors });
    await choose('sensors.apa', Buffer.from(await archive.arrayBuffer()));
    await page.getByText('The package in sensors.apa is there already').waitFor();
    await page.getByRole('button', { name: 'Replace it' }).click();
    await page.getByRole('link', { name: 'Open sensors 1.0.0' }).waitFor();
  }),
);

t.test('an application that needs nothing but one value is launched from its form', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, place);
    await page.getByRole('link', { name: 'Launch Greenhouse' }).click();
    const launch = page.getByRole('button', { name: 'Launch', exact: true });
    t.match(await launch.getAttribute('aria-description'), /Still needed: .*directory/);
    await page.getByLabel('platform.operator.archive.prop.directory').fill('readings');
    await page.getByRole('button', { name: /Other properties/ }).click();
    await page.getByLabel('Filter properties').fill('alarms.prop.high');
    await page.getByLabel('platform.operator.alarms.prop.high').fill('29.5');
    t.match(
      await page.getByRole('region', { name: 'What will be sent' }).innerText(),
      /"platform\.operator\.alarms\.prop\.high": 29\.5/,
    );
    for (const [name, value] of [
      ['platform.attr.MAX_CONTAINER_FAILURES', '7'],
      ['not.meant', 'to stay'],
    ] as const) {
      await page.getByLabel('New property').fill(name);
      await page.getByLabel('Value', { exact: true }).fill(value);
      await page.keyboard.press('Enter');
      t.equal(await page.getByRole('textbox', { name }).inputValue(), value);
    }
    await page.getByLabel('New property').fill('platform.operator.alarms.prop.high');
    await page.getByText('It is there already').waitFor();
    await page.getByRole('button', { name: 'Remove not.meant' }).click();
    const appid = await launched(page);
    t.match(await client.getApplicationAttributes({ params: { appid } }), { MAX_CONTAINER_FAILURES: 7 });
    t.match(await client.getApplication({ params: { appid } }), {
      appPackageSource: { name: 'sensors', appName: 'greenhouse' },
    });
    await client.killApplication({ params: { appid } });
  }),
);

t.test('the editor: an operator by palette, a property, a join, a save', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, `${place}/apps/greenhouse/edit`);
    await page.getByLabel('Find a class').fill('console');
    await page.getByRole('button', { name: 'Add Console' }).click();
    const properties = page.getByRole('complementary', { name: 'Properties' });
    await properties.getByLabel('prefix').fill('seen: ');
    await properties.getByLabel('level').click();
    await page.getByRole('option', { name: 'warn' }).click();
    await page.getByRole('button', { name: /The input input of consoleOutput is not connected/ }).waitFor();
    await page.getByRole('group', { name: 'alarms', exact: true }).click();
    await properties.getByLabel('changes leads to').click();
    await page.getByRole('option', { name: 'consoleOutput · input' }).click();
    await page.getByText('No problems').waitFor();
    await page.getByText('Not saved yet').waitFor();
    await page.reload();
    await page.getByText('Not saved yet').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Not saved yet').waitFor({ state: 'hidden' });
    const { fileContent } = await client.getPackageApplication({ params: ref });
    t.match(fileContent, { displayName: 'Greenhouse' });
    const text = JSON.stringify(fileContent);
    t.match(text, '"class":"headgate.io.ConsoleOutput","properties":{"prefix":"seen: ","level":"warn"}');
    t.match(text, '{"operatorName":"consoleOutput","portName":"input"}');
    await page.getByRole('button', { name: 'Launch', exact: true }).click();
    await page.getByRole('heading', { name: 'Launch Greenhouse' }).waitFor();
    await page.getByLabel('platform.operator.archive.prop.directory').fill('edited');
    const appid = await launched(page);
    const plan = await client.getLogicalPlan({ params: { appid } });
    t.ok(plan.operators.some(({ name }) => name === 'consoleOutput'));
    await client.killApplication({ params: { appid } });
  }),
);

/** From the form to the page of the application that it has made. */
async function launched(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Launch', exact: true }).click();
  await page.waitForURL(/\/apps\/application_/);
  const appid = page.url().split('/').at(-1) ?? '';
  await until(
    () => client.getApplication({ params: { appid } }),
    ({ state }) => state === 'RUNNING',
  );
  return appid;
}

t.test('a join of types that do not fit is refused while it is dragged, with both named', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, `${place}/apps/greenhouse/edit`);
    await page.getByRole('button', { name: 'Add Parse JSON' }).click();
    const handle = (operator: string, port: string) =>
      page.locator(`.react-flow__handle[data-nodeid="${operator}"][data-handleid="${port}"]`);
    const added = page.getByRole('group', { name: 'jsonParse', exact: true });
    await added.waitFor();
    await page.getByRole('button', { name: 'Fit View' }).click();
    await handle('sensors', 'output').hover();
    await page.mouse.down();
    await handle('jsonParse', 'input').hover({ force: true });
    await page.getByRole('alert').filter({ hasText: 'Reading does not fit string' }).waitFor();
    await page.mouse.up();
    await added.focus();
    await page.keyboard.press('Delete');
    await added.waitFor({ state: 'detached' });
    await page.getByText('No problems').waitFor();
  }),
);

t.test('one that needs nothing is launched with two clicks', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, 'packages');
    await page.getByRole('button', { name: 'Import…' }).click();
    await page.getByRole('button', { name: 'Import Log analytics' }).click();
    await page.getByText('Log analytics is there').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'log-analytics' }).click();
    await page.getByRole('link', { name: 'Launch Traffic of a web server' }).click();
    const appid = await launched(page);
    await client.killApplication({ params: { appid } });
  }),
);

t.test('another package is merged into one', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, place);
    await page.getByRole('button', { name: 'Actions of sensors' }).click();
    await page.getByRole('menuitem', { name: 'Merge' }).click();
    const dialog = page.getByRole('dialog', { name: 'Merge another package into sensors 1.0.0' });
    await dialog.getByLabel('From').click();
    await page.getByRole('option', { name: 'admin/log-analytics 1.0.0' }).click();
    await dialog.getByText('Whatever it has already stays as it is.').waitFor();
    await dialog.getByRole('button', { name: 'Merge' }).click();
    await dialog.waitFor({ state: 'hidden' });
    t.match((await client.getPackage({ params: sensors })).configs, [
      'greenhouse-1.xml',
      'heat-wave.xml',
      'quiet.xml',
    ]);
    await page.getByRole('heading', { level: 3, name: 'Traffic of a web server' }).waitFor();
  }),
);

t.test('what somebody else has saved meanwhile is shown, and nothing is overwritten', (t) =>
  inWindow(t, { baseUrl, allowed: /^412 / }, async (page) => {
    await enter(page, baseUrl, `${place}/apps/greenhouse/edit`);
    const description = page.getByRole('complementary', { name: 'Properties' }).getByLabel('Description');
    await description.fill('Mine');
    const { fileContent } = await client.getPackageApplication({ params: ref });
    if (typeof fileContent !== 'object') return t.fail('no definition');
    const theirs = {
      ...fileContent,
      operators: [],
      streams: [],
      description: 'Theirs',
      displayName: 'Garden',
    };
    const body = { ...theirs, operators: operatorsOf(fileContent), streams: streamsOf(fileContent) };
    await client.putPackageApplication({ params: ref, body });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Somebody has changed it meanwhile' });
    await dialog.getByRole('row', { name: /description/ }).waitFor();
    t.strictSame(await inaccessible(page), []);
    t.match(await client.getPackageApplication({ params: ref }), { fileContent: { description: 'Theirs' } });
    await dialog.getByRole('button', { name: 'Take this over' }).click();
    t.equal(await description.inputValue(), 'Mine');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Not saved yet').waitFor({ state: 'hidden' });
    t.match(await client.getPackageApplication({ params: ref }), {
      fileContent: { description: 'Mine', displayName: 'Garden' },
    });
  }),
);

type Definition = Exclude<Parameters<typeof client.putPackageApplication>[0]['body'], { kind: 'sql' }>;
const operatorsOf = (content: object): Definition['operators'] =>
  'operators' in content && Array.isArray(content.operators) ? content.operators : [];
const streamsOf = (content: object): Definition['streams'] =>
  'streams' in content && Array.isArray(content.streams) ? content.streams : [];

t.test('permissions are given, and a new application is made', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, `${place}?part=permissions`);
    const mayChange = page.getByRole('group', { name: 'May change it' });
    await mayChange.getByLabel('Everyone who can log in').check();
    await page.getByRole('button', { name: 'Save permissions' }).click();
    await page.getByText('The permissions are saved').waitFor();
    t.match(await client.getPackagePermissions({ params: sensors }), { readWrite: { everyone: true } });
    await page.getByRole('tab', { name: 'Contents' }).click();
    await page.getByRole('button', { name: 'New application' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('mine');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Edit mine' }).waitFor();
    t.match(await client.getPackageApplication({ params: { ...sensors, appName: 'mine' } }), {
      type: 'json',
    });
  }),
);

const screens = [
  'packages',
  place,
  `${place}?part=operators`,
  `${place}?part=configurations`,
  `${place}?part=permissions`,
  `${place}/apps/greenhouse/launch`,
  `${place}/apps/greenhouse/edit?sel=operator:alarms`,
];
for (const scheme of ['light', 'dark'] as const) {
  for (const width of [1280, 375]) {
    t.test(`each screen, ${scheme}, ${width} px`, (t) =>
      inWindow(t, { baseUrl, scheme, width }, async (page) => {
        await enter(page, baseUrl, 'packages');
        for (const screen of screens) {
          await page.goto(`${baseUrl}/console/${screen}`);
          await page.getByRole('heading', { level: 1 }).first().waitFor();
          await page.waitForLoadState('networkidle');
          t.strictSame(await inaccessible(page), [], screen);
          const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
          t.ok(Number(wider) <= 0, `${screen} is no wider than the window`);
        }
      }),
    );
  }
}

t.test('a package is deleted when its name was typed', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, place);
    await page.getByRole('button', { name: 'Actions of sensors' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete sensors 1.0.0?' });
    await dialog.getByLabel('Type sensors to confirm').fill('sensors');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('link', { name: 'log-analytics' }).waitFor();
    t.match((await client.listPackages()).appPackages, [{ appPackageName: 'log-analytics' }]);
  }),
);
