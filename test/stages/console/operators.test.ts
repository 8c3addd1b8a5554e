import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import t from 'tap';
import { until } from '../../helpers/waiting.js';
import { closeBrowser, enter, inaccessible, inWindow } from './browser.js';
import { runningServer } from './running-server.js';

const { baseUrl, client } = await runningServer(t);
t.teardown(closeBrowser);

const { apps } = await until(
  () => client.listApplications({ query: { states: 'RUNNING' } }),
  (list) => list.apps.length === 1,
);
const appid = apps[0]?.id ?? '';
const partitionOf = async (name: string) => {
  const { operators } = await until(
    () => client.listPhysicalOperators({ params: { appid } }),
    (list) => list.operators.length > 0 && list.operators.every(({ status }) => status === 'ACTIVE'),
  );
  return operators.find(({ logicalName }) => logicalName === name)?.id ?? '';
};
const opid = await partitionOf('parse');
const recordings = async () => (await client.listApplicationRecordings({ params: { appid } })).recordings;

/** The demo follows the server's own access log: each request is a tuple. */
const request = () => fetch(`${baseUrl}/ws/v2/about?operators`);

/** Asks again and again until the page shows it. */
async function untilSeen(page: Page, text: string | RegExp): Promise<void> {
  await until(async () => {
    await request();
    return page.getByText(text).first().isVisible();
  }, Boolean);
}

for (const scheme of ['light', 'dark'] as const) {
  for (const width of [1280, 375]) {
    t.test(`operators, one of them, its partition and a port, ${scheme}, ${width} px`, (t) =>
      inWindow(t, { baseUrl, scheme, width }, async (page) => {
        await enter(page, baseUrl, `apps/${appid}/operators`);
        await page.getByRole('link', { name: 'parse', exact: true }).waitFor();
        t.strictSame(await inaccessible(page), []);
        await page.getByRole('link', { name: 'parse', exact: true }).click();
        await page.getByRole('heading', { name: 'Properties' }).waitFor();
        await page.getByRole('link', { name: 'errors' }).waitFor();
        t.match(await page.title(), /^Operator parse/);
        t.strictSame(await inaccessible(page), []);
        await page.getByRole('link', { name: opid, exact: true }).click();
        await page.getByRole('heading', { name: 'Deploy history' }).waitFor();
        t.strictSame(await inaccessible(page), []);
        await page.getByRole('link', { name: 'errors' }).click();
        await page.getByRole('heading', { name: 'Attributes' }).waitFor();
        t.strictSame(await inaccessible(page), []);
      }),
    );
  }
}

t.test('the filter of the list is in the address', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, `apps/${appid}/operators?q=nothing`);
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.keyboard.press('/');
    await page.keyboard.type('topn');
    await page.waitForURL(/\?q=topn$/);
    await page.reload();
    await page.getByRole('link', { name: 'paths', exact: true }).waitFor();
    t.equal(await page.getByRole('row').count(), 2);
  }),
);

t.test('a property is changed while the application runs, and a wrong one is refused at its place', (t) =>
  inWindow(t, { baseUrl, allowed: /^400 / }, async (page) => {
    await enter(page, baseUrl, `apps/${appid}/operators/rejected`);
    const apply = page.getByRole('button', { name: 'Apply' });
    await page.getByLabel('maxPerWindow').fill('7');
    await page.getByText('1 change not applied yet').waitFor();
    await apply.click();
    await page.getByText('1 property changed').waitFor();
    const properties = await client.getOperatorProperties({ params: { appid, opName: 'rejected' } });
    t.equal(properties['maxPerWindow'], 7);
    t.equal(properties['prefix'], 'not a log line: ', 'nothing else was sent');
    await page.getByLabel('maxPerWindow').fill('-5');
    await apply.click();
    await page.getByRole('alert', { name: 'That did not work' }).waitFor();
    t.equal(await page.getByLabel('maxPerWindow').getAttribute('aria-invalid'), 'true', 'at its field');
    t.equal(await page.getByLabel('maxPerWindow').inputValue(), '-5', 'what was typed stays');
    t.equal(
      (await client.getOperatorProperties({ params: { appid, opName: 'rejected' } }))['maxPerWindow'],
      7,
    );
  }),
);

t.test('a property is changed of one partition alone', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    const one = await partitionOf('rejected');
    await enter(page, baseUrl, `apps/${appid}/operators/rejected/partitions/${one}`);
    await page.getByLabel('prefix').fill('odd: ');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('1 property changed').waitFor();
    const properties = await client.getPhysicalOperatorProperties({ params: { appid, opid: one } });
    t.equal(properties['prefix'], 'odd: ');
  }),
);

t.test('an operator is recorded: tuples arrive, are browsed by window, saved, stopped and deleted', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, `apps/${appid}/operators/parse`);
    await page.getByRole('button', { name: 'Record' }).click();
    await page.waitForURL(/\/recordings\/[^/]+\?live=true$/);
    await untilSeen(page, /"path":"\/ws\/v2\/about/);
    const [recording] = await recordings();
    t.equal(recording?.operatorId, opid);

    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    const [stopped] = await until(recordings, ([one]) => one?.ended === true);
    await page.getByRole('heading', { name: /^Windows/ }).waitFor();
    await page
      .getByRole('button', { name: /"path":"\/ws\/v2\/about/ })
      .first()
      .click();
    await page.getByRole('region', { name: 'Tuple', exact: true }).getByText('durationMillis').waitFor();
    t.strictSame(await inaccessible(page), []);

    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download what is loaded' }).click();
    const saved = readFileSync(await (await saving).path(), 'utf8')
      .trim()
      .split('\n');
    t.equal(saved.length, stopped?.totalTuples);
    const window = JSON.parse(saved.at(-1) ?? '{}').windowId;
    await page.getByLabel('Window id').fill(window);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.search.includes(window));
    await page.reload();
    await page.locator('[aria-current="true"]', { hasText: window }).waitFor();

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL(/\/operators\/parse$/);
    t.strictSame(await recordings(), []);
    await page.getByText('Nothing of it has been recorded yet.').waitFor();
  }),
);

t.test('a port is recorded, and stopped and deleted in the list of the application', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, `apps/${appid}/operators/parse/ports/errors`);
    await page.getByRole('button', { name: 'Record' }).click();
    await page.waitForURL(/live=true/);
    const [recording] = await until(recordings, (list) => list.length === 1);
    t.strictSame(
      recording?.ports.map(({ name }) => name),
      ['errors'],
    );
    await page.getByRole('link', { name: 'Recordings' }).click();
    const actions = page.getByRole('button', { name: `Actions of recording ${recording?.id}` });
    await actions.click();
    await page.getByRole('menuitem', { name: 'Stop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await until(recordings, ([one]) => one?.ended === true);
    await page.getByRole('row', { name: 'ended' }).waitFor();
    await actions.click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Nothing has been recorded yet').waitFor();
    t.strictSame(await recordings(), []);
  }),
);

t.test('a partition that is gone leads to its operator', (t) =>
  inWindow(t, { baseUrl, allowed: /^404 / }, async (page) => {
    await enter(page, baseUrl, `apps/${appid}/operators/parse/partitions/9999`);
    await page.getByRole('link', { name: 'To parse' }).click();
    await page.getByRole('heading', { name: 'Partitions' }).waitFor();
  }),
);
