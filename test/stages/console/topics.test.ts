import t from 'tap';
import { until } from '../../helpers/waiting.js';
import { closeBrowser, enter, inaccessible, inWindow } from './browser.js';
import { runningServer } from './running-server.js';

const { baseUrl, client } = await runningServer(t);
t.teardown(closeBrowser);

for (const scheme of ['light', 'dark'] as const)
  for (const width of [1280, 375])
    t.test(`the topics, ${scheme}, ${width} px`, (t) =>
      inWindow(t, { baseUrl, scheme, width }, async (page) => {
        await enter(page, baseUrl, 'topics?topic=cluster.metrics');
        await page.getByText('"numAppsRunning"').waitFor();
        t.strictSame(await inaccessible(page), []);
      }),
    );

t.test('a topic that somebody typed is shown as it comes, digit for digit, with what has changed', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, 'topics');
    await page.getByLabel('Filter topics, or type a name').fill('my.own "topic"');
    await page.getByRole('link', { name: 'Listen to my.own "topic"' }).click();
    await page.getByText('Nothing has come yet').waitFor();
    const counts: number[] = [];
    client.countSubscribers('my.own "topic"', (count) => counts.push(count));
    await until(
      () => Promise.resolve(counts.at(-1)),
      (count) => count === 1,
    );
    client.publish('my.own "topic"', { steady: 1, moving: 'first', markup: '<b>x</b>' });
    await page.getByText('"moving": "first"').waitFor();
    client.publish('my.own "topic"', { steady: 1, moving: 'second', markup: '<b>x</b>' });
    await page.locator('[data-changed]').filter({ hasText: '"moving": "second"' }).waitFor();
    t.equal(await page.locator('[data-changed]').count(), 1, 'the rest is as it was');
    await page.getByText('"markup": "<b>x</b>"').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    client.publish('my.own "topic"', { steady: 2, moving: 'third', markup: '<b>x</b>' });
    await page.locator('[data-changed]').filter({ hasText: '"steady": 2' }).waitFor();
    t.equal(await page.locator('[data-changed]').count(), 2, 'since the pause');
  }),
);

t.test('a topic that the gateway refuses says so', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, 'topics?topic=cluster.nonsense');
    await page.getByText('The gateway does not tell this topic').waitFor();
  }),
);
