import t from 'tap';
import { type ClassSpec, flags, jarOf } from '../../helpers/class-bytes.js';
import { packageOf } from '../../helpers/packages.js';
import { until } from '../../helpers/waiting.js';
import { closeBrowser, enter, inaccessible, inWindow } from './browser.js';
import { runningServer } from './running-server.js';
import { flinkWithConsole } from './with-console.js';

// What programs and jobs of Flink have besides: arguments, a plan before the launch, a shutdown that carries out what is open.

t.teardown(closeBrowser);

const main = { name: 'main', descriptor: '([Ljava/lang/String;)V', flags: flags.public | flags.static };
const program: ClassSpec = { name: 'org.example.Words', methods: [main] };

for (const scheme of ['light', 'dark'] as const)
  t.test(`a program is launched with arguments, its plan seen before, ${scheme}`, async (t) => {
    const { baseUrl, client, double } = await flinkWithConsole(t);
    await client.uploadPackage({ body: packageOf({}, { 'app/jobs.jar': jarOf([program]) }) });
    await inWindow(t, { baseUrl, scheme }, async (page) => {
      await enter(page, baseUrl, 'packages/admin/sensors/1.0.0/apps/org.example.Words/launch');
      await page.getByLabel('New property').fill('flink.args');
      await page.getByLabel('Value', { exact: true }).fill('--topic "a b"');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Show the plan' }).click();
      const plan = page.getByRole('table', { name: 'Plan' });
      await plan.getByRole('row', { name: /^plus one \d+ Source: numbers$/ }).waitFor();
      t.strictSame(await inaccessible(page), []);
      await page.getByRole('button', { name: 'Launch', exact: true }).click();
      await page.waitForURL(/\/apps\/[0-9a-f]{32}$/);
    });
    const args = { programArgsList: ['--topic', 'a b'] };
    t.match(double.jars.plans, [args]);
    t.match(double.jars.runs, [args]);
  });

t.test('a job of Flink is drained when that was chosen', async (t) => {
  const { baseUrl, double } = await flinkWithConsole(t);
  for (const isDrained of [false, true]) {
    const job = double.start();
    await inWindow(t, { baseUrl }, async (page) => {
      await enter(page, baseUrl, `apps/${job.id}`);
      await page.getByRole('button', { name: 'Shut down' }).click();
      const dialog = page.getByRole('dialog');
      const drain = dialog.getByLabel('Drain it');
      if (isDrained) await drain.check();
      t.equal(await drain.isChecked(), isDrained);
      t.strictSame(await inaccessible(page), []);
      await dialog.getByRole('button', { name: 'Shut down' }).click();
      await until(
        () => job.stops,
        ({ length }) => length === 1,
      );
      t.equal(job.stops[0]?.drain === true, isDrained);
    });
  }
});

t.test('where there is no such way it is not offered', async (t) => {
  const { baseUrl, client } = await runningServer(t);
  const [app] = (await client.listApplications()).apps;
  await inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, `apps/${app?.id}`);
    await page.getByRole('button', { name: 'Shut down' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('is processed to its end').waitFor();
    t.equal(await dialog.getByLabel('Drain it').count(), 0);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });
});
