import type { Page } from 'playwright-core';
import t from 'tap';
import { configuration, packageOf } from '../../helpers/packages.js';
import { until } from '../../helpers/waiting.js';
import { zipBytes } from '../../helpers/zip-bytes.js';
import { closeBrowser, enter, inaccessible, inWindow } from './browser.js';
import { gatewayWithConsole } from './with-console.js';

// Properties for launches, in a package and apart from it; and what is taken out of a package.

t.teardown(closeBrowser);

const params = { owner: 'admin', name: 'sensors', version: '1.0.0' };

async function confirm(page: Page, verb: string, typed?: string): Promise<void> {
  if (typed !== undefined) await page.getByLabel(`Type ${typed} to confirm`).fill(typed);
  await page.getByRole('dialog').getByRole('button', { name: verb }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}

t.test('a configuration of a package is made, refused where it is none, changed and deleted', async (t) => {
  const { baseUrl, client } = await gatewayWithConsole(t);
  await client.uploadPackage({ body: packageOf() });
  await inWindow(t, { baseUrl, allowed: /^400 / }, async (page) => {
    await enter(page, baseUrl, 'packages/admin/sensors/1.0.0?part=configurations');
    await page.getByRole('button', { name: 'New configuration' }).click();
    await page.getByLabel('Name of the file').fill('night');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const write = async (text: string) => {
      await page.getByRole('textbox', { name: 'night.xml' }).click();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.insertText(text);
      await page.getByRole('button', { name: 'Save' }).click();
    };
    await write('<configuration>');
    await page.getByRole('alert').filter({ hasText: 'night.xml was not saved' }).waitFor();
    t.strictSame(await client.listPackageConfigs({ params }), { configs: [] });
    const text = configuration({ 'apex.operator.source.prop.rate': '3' });
    await write(text);
    await page.getByRole('button', { name: 'night.xml', pressed: true }).waitFor();
    await until(
      () => client.listPackageConfigs({ params }),
      ({ configs }) => configs.length === 1,
    );
    t.equal(
      await client.textOf('getPackageConfig', { params: { ...params, configName: 'night.xml' } }),
      text,
    );
    t.strictSame(await inaccessible(page), []);
    await page.getByRole('button', { name: 'Delete' }).click();
    await confirm(page, 'Delete');
    await page.getByText('No configuration yet').waitFor();
  });
  t.strictSame(await client.listPackageConfigs({ params }), { configs: [] });
});

t.test('a configuration package is uploaded, and deleted when its name was typed', async (t) => {
  const { baseUrl, client } = await gatewayWithConsole(t);
  const content = ['Manifest-Version: 1.0', 'DT-Conf-Package-Name: slow', '', ''].join('\r\n');
  const buffer = zipBytes({ entries: [{ name: 'META-INF/MANIFEST.MF', content }] });
  await inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, 'packages?show=configurations');
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await (await chooser).setFiles({ name: 'slow.apc', mimeType: 'application/zip', buffer });
    await page.getByRole('table', { name: 'Configurations' }).getByText('slow').waitFor();
    t.match((await client.listConfigPackages()).configPackages, [{ name: 'slow', user: 'admin' }]);
    t.strictSame(await inaccessible(page), []);
    await page.getByRole('button', { name: 'Actions of slow' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await confirm(page, 'Delete', 'slow');
    await page.getByText('No configuration package yet').waitFor();
  });
  t.strictSame(await client.listConfigPackages(), { configPackages: [] });
});

t.test('an application is taken out of its package', async (t) => {
  const { baseUrl, client } = await gatewayWithConsole(t);
  await client.uploadPackage({ body: packageOf() });
  await client.putPackageApplication({
    params: { ...params, appName: 'readings' },
    body: { displayName: 'Readings', operators: [], streams: [] },
  });
  await inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, 'packages/admin/sensors/1.0.0');
    await page.getByRole('button', { name: 'Delete Readings' }).click();
    await confirm(page, 'Delete', 'readings');
    await page.getByText('No application in it').waitFor();
  });
  t.strictSame((await client.listPackageApplications({ params })).applications, []);
});
