import t from 'tap';
import { license, start, vendor } from '../../helpers/licenses.js';
import { closeBrowser, enter, inaccessible, inWindow } from './browser.js';
import { gatewayWithConsole } from './with-console.js';

// What a vendor allows, and what is measured.

t.teardown(closeBrowser);

t.test('a license is added from its file; one that is none is refused in words', async (t) => {
  const { baseUrl, client } = await gatewayWithConsole(t, {
    licensing: { publicKeys: [vendor.publicKey], product: 'streams' },
    clock: { now: () => start, monotonic: () => performance.now() },
  });
  await inWindow(t, { baseUrl, allowed: /^400 / }, async (page) => {
    await enter(page, baseUrl, 'admin/licenses');
    const choose = async (name: string, text: string) => {
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Add a license' }).click();
      await (await chooser).setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    };
    await choose('odd.txt', 'no license at all');
    await page.getByRole('alert').first().waitFor();
    t.strictSame((await client.listLicenses()).licenses, []);
    await choose('streams.txt', license());
    await page.getByText('streams-1').first().waitFor();
    t.strictSame(await inaccessible(page), []);
  });
  t.match((await client.listLicenses()).licenses, [{ id: 'streams-1', valid: true, issuedTo: 'Example' }]);
});

t.test('the usage is measured unless somebody does not want it', async (t) => {
  const { baseUrl, client } = await gatewayWithConsole(t);
  await inWindow(t, { baseUrl, allowed: /^404 / }, async (page) => {
    await enter(page, baseUrl, 'admin/usage');
    const toggle = page.getByRole('switch', { name: 'Measure the usage' });
    for (const checked of [false, true]) {
      await toggle.click();
      await page.getByRole('switch', { name: 'Measure the usage', checked, disabled: false }).waitFor();
      t.strictSame(await client.getUsageSwitch(), { value: String(checked) });
    }
  });
});
