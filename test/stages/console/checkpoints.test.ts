import t from 'tap';
import { orderSavepoint, savepointOf } from '../../doubles/flink/job.js';
import { closeBrowser, enter, inaccessible, inWindow } from './browser.js';
import { runningServer } from './running-server.js';
import { flinkWithConsole } from './with-console.js';

// What an application can go on from: of jobs of Flink, and said in its place where a cluster does not tell.

t.teardown(closeBrowser);

for (const scheme of ['light', 'dark'] as const)
  t.test(`savepoints are made, seen and deleted; checkpoints are seen, ${scheme}`, async (t) => {
    const { baseUrl, client, double } = await flinkWithConsole(t);
    const job = double.start();
    const params = { appid: job.id };
    orderSavepoint(job, {});
    const elsewhere = savepointOf(job);
    await inWindow(t, { baseUrl, scheme }, async (page) => {
      await enter(page, baseUrl, `apps/${job.id}/checkpoints`);
      const savepoints = page.getByRole('table', { name: 'Savepoints' });
      await savepoints.getByRole('row', { name: `completed ${elsewhere} elsewhere` }).waitFor();
      await page.getByRole('table', { name: 'Checkpoints' }).getByText('savepoint').first().waitFor();
      t.strictSame(await inaccessible(page), []);

      await page.getByRole('button', { name: 'Make a savepoint' }).click();
      const dialog = page.getByRole('dialog', { name: 'Make a savepoint' });
      await dialog.getByLabel('Directory').fill('file:/saved');
      t.strictSame(await inaccessible(page), []);
      await dialog.getByRole('button', { name: 'Make' }).click();
      await savepoints.getByRole('row', { name: /completed file:\/saved\/\S+ admin/ }).waitFor();
      const listed = (await client.listSavepoints({ params })).savepoints;
      t.match(listed, [{ location: elsewhere }, { targetDirectory: 'file:/saved', orderedBy: 'admin' }]);

      await page.getByRole('button', { name: `Actions of ${listed[0]?.id}`, exact: true }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await savepoints.getByRole('row', { name: `completed ${elsewhere}` }).waitFor({ state: 'hidden' });
      t.strictSame(double.disposals.asked, [elsewhere]);

      await client.killApplication({ params });
      await page.reload();
      const order = page.getByRole('button', { name: 'Make a savepoint' });
      await page.locator('[data-state=killed]').first().waitFor();
      t.equal(await order.getAttribute('aria-description'), 'The application has ended');
    });
  });

t.test('a cluster that does not tell of them is asked for nothing', async (t) => {
  const { baseUrl, client } = await runningServer(t);
  const [app] = (await client.listApplications()).apps;
  await inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, `apps/${app?.id}/checkpoints`);
    const part = page.getByRole('region', { name: 'Savepoints' });
    await part.getByText('The driver lacks master.savepoints').waitFor();
    t.equal(
      await part.getByRole('button', { name: 'Make a savepoint' }).getAttribute('aria-disabled'),
      'true',
    );
  });
});
