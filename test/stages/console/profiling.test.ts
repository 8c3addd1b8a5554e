import t from 'tap';
import { chainSamples } from '../../doubles/flink/flame-graphs.js';
import { profilePage } from '../../doubles/flink/profiling.js';
import { until } from '../../helpers/waiting.js';
import { closeBrowser, enter, inaccessible, inWindow } from './browser.js';
import { runningServer } from './running-server.js';
import { flinkWithConsole } from './with-console.js';

// Where the time of operators and containers goes: of jobs of Flink, and said in its place where it can't be told.

t.teardown(closeBrowser);

for (const scheme of ['light', 'dark'] as const)
  for (const width of [1280, 375])
    t.test(`an operator: back-pressure lives, a flame graph is walked, ${scheme}, ${width} px`, async (t) => {
      const { baseUrl, client, double } = await flinkWithConsole(t);
      const job = double.start('orders', { parallelism: 3 });
      job.backPressured = 580;
      const link = `apps/${job.id}/operators/${encodeURIComponent('Source: numbers')}`;
      await inWindow(t, { baseUrl, scheme, width }, async (page) => {
        await enter(page, baseUrl, link);
        const pressure = page.getByRole('region', { name: 'Back-pressure' });
        await pressure.scrollIntoViewIfNeeded();
        await pressure.getByRole('row', { name: /100000 .*high.* 25 % 58 % –/ }).waitFor();
        t.equal(await pressure.getByRole('row').count(), 4, 'a line for each partition');
        job.backPressured = 0;
        await pressure.getByRole('row', { name: /100002 .*ok.* 25 % 0 % –/ }).waitFor();

        const flame = page.getByRole('region', { name: 'Flame graph' });
        t.equal(
          double.jobManagers[0]?.asked.filter((one) => one.endsWith('/flamegraph')).length,
          0,
          'nothing is sampled before somebody asks',
        );
        double.profiling.flameGraph = { endTimestamp: Date.now(), data: chainSamples };
        await flame.getByRole('button', { name: 'Show the flame graph' }).click();
        await page.waitForURL(/\?flame=FULL$/);
        const frames = flame.getByRole('treeitem');
        const parse = flame.getByRole('treeitem', { name: 'org.acme.orders.Parse.map:41: 45 %' });
        await parse.waitFor();
        t.equal(await frames.count(), 7);
        await flame.getByRole('row', { name: '30 % 30 % org.acme.json.Reader.read:12' }).waitFor();
        t.strictSame(await inaccessible(page), []);

        await parse.click();
        await flame.getByRole('treeitem', { name: 'wait' }).waitFor({ state: 'detached' });
        t.equal(await frames.count(), 5, 'what it was called from, itself, and what it called');
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        const reader = flame.getByRole('treeitem', { name: 'org.acme.json.Reader.read:12' });
        await flame.locator('[aria-selected=true]', { hasText: 'Reader.read:12' }).waitFor();
        await reader.and(page.locator(':focus')).waitFor();
        await page.keyboard.press('Escape');
        await flame.getByRole('treeitem', { name: 'wait' }).waitFor();
        await page.keyboard.press('ArrowUp');
        await page.keyboard.press('ArrowRight');
        await flame.getByRole('treeitem', { name: 'Join.process' }).and(page.locator(':focus')).waitFor();
        await page.keyboard.press(' ');
        await flame.getByRole('button', { name: 'Show all of it' }).click();
        await flame.getByRole('treeitem', { name: 'All samples' }).and(page.locator(':focus')).waitFor();
        await flame.getByRole('treeitem', { name: 'wait' }).waitFor();

        await flame.getByLabel('Find a frame').fill('acme');
        await flame.getByText('3 frames, in 65 % of the samples').waitFor();
        t.strictSame(await inaccessible(page), []);
        await page.reload();
        await flame.getByText('3 frames, in 65 % of the samples').waitFor();
        double.profiling.flameGraph = undefined;
        await flame.getByText('Running', { exact: true }).click();
        await page.waitForURL(/flame=ON_CPU/);
        await flame.getByRole('treeitem', { name: 'Numbers$Make.map:41: 100 %, 60 samples' }).waitFor();
        await flame.getByRole('combobox', { name: 'Partition' }).click();
        await page.getByRole('option', { name: '100001' }).click();
        await page.waitForURL(/of=100001|of=%22100001%22/);
        await until(
          async () => double.profiling.sampled,
          (sampled) => [...sampled].some((asked) => asked.endsWith(' 1')),
        );
        await frames.nth(2).waitFor();
        await flame.getByRole('button', { name: 'Close' }).click();
        await page.waitForURL(/numbers$/);

        await client.killApplication({ params: { appid: job.id } });
        await page.reload();
        await flame.getByText('The application has ended').waitFor();
        await pressure.getByText('The application has ended').waitFor();
      });
    });

t.test('what Flink is not set up for is said where it would be', async (t) => {
  const { baseUrl, double } = await flinkWithConsole(t);
  const job = double.start();
  delete double.settings['rest.flamegraph.enabled'];
  delete double.settings['rest.profiling.enabled'];
  await inWindow(t, { baseUrl, allowed: /^409 / }, async (page) => {
    await enter(page, baseUrl, `apps/${job.id}/operators/plus%20one?flame=FULL`);
    const flame = page.getByRole('region', { name: 'Flame graph' });
    await flame.getByText(/rest\.flamegraph\.enabled: true/).waitFor();
    t.equal(await flame.getByRole('alert').count(), 0, 'that is no failure');
    t.strictSame(await inaccessible(page), []);
    await page.goto(`${baseUrl}/console/apps/${job.id}/containers/tm1`);
    const profiles = page.getByRole('region', { name: 'Profiles' });
    await profiles.getByText(/rest\.profiling\.enabled: true/).waitFor();
    t.match(
      await profiles.getByRole('button', { name: 'Profile it' }).getAttribute('aria-description'),
      /rest\.profiling\.enabled: true/,
    );
  });
});

for (const { scheme, width } of [
  { scheme: 'light', width: 375 },
  { scheme: 'dark', width: 1280 },
] as const)
  t.test(`a container is profiled, and the profile downloaded, ${scheme}, ${width} px`, async (t) => {
    const { baseUrl, client, double } = await flinkWithConsole(t);
    const job = double.start();
    const params = { appid: job.id, containerId: 'tm1' };
    double.profiling.outcome = 'takes long';
    await inWindow(t, { baseUrl, scheme, width, allowed: /^400 / }, async (page) => {
      await enter(page, baseUrl, `apps/${job.id}/containers/tm1`);
      const part = page.getByRole('region', { name: 'Profiles' });
      await part.getByText('No profile yet').waitFor();
      const order = part.getByRole('button', { name: 'Profile it' });
      await order.click();
      const dialog = page.getByRole('dialog', { name: 'Profile it' });
      await dialog.getByRole('combobox', { name: 'Of what' }).click();
      await page.getByRole('option', { name: 'all time' }).click();
      await dialog.getByLabel('Seconds').fill('5');
      t.strictSame(await inaccessible(page), []);
      await dialog.getByRole('button', { name: 'Begin' }).click();
      await part.getByRole('row', { name: /running all time .* 5 s/ }).waitFor();
      const [begun] = (await client.listProfiles({ params })).profiles;
      t.match(begun, { state: 'RUNNING', mode: 'WALL', seconds: 5 });
      await until(
        () => order.getAttribute('aria-description'),
        (reason) => reason === 'A profile of it is being made',
      );

      double.profiling.outcome = 'finishes';
      const link = part.getByRole('link', { name: `Download the profile ${begun?.id}` });
      await link.waitFor();
      t.strictSame(await inaccessible(page), []);
      const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
      t.match(download.suggestedFilename(), /^tm_WALL_\d+\.html$/);
      const chunks = await (await download.createReadStream()).toArray();
      t.equal(Buffer.concat(chunks).toString(), profilePage);

      double.profiling.outcome = 'refused';
      await order.click();
      await dialog.getByRole('button', { name: 'Begin' }).click();
      await dialog.getByRole('alert').getByText('No access to perf events').waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await part
        .getByRole('row', { name: /failed .*No access to perf events/ })
        .first()
        .waitFor();
    });
  });

t.test('a cluster that tells of none of it is asked for nothing', async (t) => {
  const { baseUrl, client } = await runningServer(t);
  const [app] = (await client.listApplications()).apps;
  await inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, `apps/${app?.id}/operators/parse?flame=FULL`);
    const flame = page.getByRole('region', { name: 'Flame graph' });
    const reason = /The driver lacks master\.flameGraphs/;
    await flame.getByText(reason).waitFor();
    const show = flame.getByRole('button', { name: 'Show the flame graph' });
    t.match(await show.getAttribute('aria-description'), reason);
    await page.getByText('The driver lacks master.backPressure').waitFor();
    const { containers } = await until(
      () => client.listContainers({ params: { appid: app?.id ?? '' } }),
      (list) => list.containers.length > 0,
    );
    await page.goto(`${baseUrl}/console/apps/${app?.id}/containers/${containers[0]?.id}`);
    await page
      .getByRole('region', { name: 'Profiles' })
      .getByText('The driver lacks master.profiler')
      .waitFor();
  });
});
