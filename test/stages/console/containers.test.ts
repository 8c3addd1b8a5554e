import { appendFileSync, closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t from 'tap';
import { until } from '../../helpers/waiting.js';
import { closeBrowser, enter, inaccessible, inWindow } from './browser.js';
import { runningServer } from './running-server.js';

const { baseUrl, client, folder } = await runningServer(t);
t.teardown(closeBrowser);

const { apps } = await until(
  () => client.listApplications({ query: { states: 'RUNNING' } }),
  (list) => list.apps.length === 1,
);
const appid = apps[0]?.id ?? '';
const streaming = async () =>
  (await client.listContainers({ params: { appid } })).containers.filter(
    ({ containerType, state }) => containerType === 'STREAMING' && state === 'ACTIVE',
  );
const [first, second] = await until(streaming, (containers) => containers.length >= 2);
const kept = second?.id ?? '';
const killed = first?.id ?? '';

/** Where a log of the container that no test kills lies. */
const place = (name: string) => join(folder, 'engine/apps', appid, 'containers', kept, name);
const logLink = (name: string, search = '') => `apps/${appid}/containers/${kept}/logs/${name}${search}`;
const lines = (page: Page) => page.locator('.cm-line');

const filler = '.'.repeat(320);

/** A line of the log, told by its number; `needle` in few of them. */
const line = (n: number): string => {
  const level = n % 1000 === 0 ? 'ERROR' : 'INFO ';
  const at = new Date(Date.UTC(2026, 10, 1) + n * 500).toISOString().replace('T', ' ').replace('.', ',');
  return `${at.slice(0, 23)} [main] ${level} shop.Orders - order ${String(n).padStart(8, '0')} ${filler}${n % 100_000 === 777 ? ' needle' : ''}\n`;
};
const lineBytes = line(1).length;

function writeLog(name: string, bytes: number): number {
  const file = openSync(place(name), 'w');
  let n = 0;
  for (let size = 0; size < bytes; ) {
    let text = '';
    while (text.length < 4 * 1024 * 1024) text += line(n++);
    size += writeSync(file, text);
  }
  closeSync(file);
  return n;
}

for (const scheme of ['light', 'dark'] as const) {
  for (const width of [1280, 375]) {
    t.test(`containers and a log, ${scheme}, ${width} px`, (t) =>
      inWindow(t, { baseUrl, scheme, width }, async (page) => {
        writeFileSync(place('small.log'), `${line(1)}${line(2000)}`);
        await enter(page, baseUrl, `apps/${appid}/containers`);
        await page.getByRole('link', { name: kept }).waitFor();
        t.strictSame(await inaccessible(page), []);
        await page.getByRole('link', { name: kept }).click();
        await page.getByRole('link', { name: 'small.log' }).waitFor();
        await page.getByRole('button', { name: 'Look at the threads' }).click();
        await page.getByText('2 threads').waitFor();
        t.strictSame(await inaccessible(page), []);
        await page.getByRole('link', { name: 'small.log' }).click();
        await page.locator('.long-text-error').waitFor();
        t.match(await page.title(), /^small.log of container_/);
        t.strictSame(await inaccessible(page), []);
      }),
    );
  }
}

t.test('a container is killed when its id was typed, and another one takes its place', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, `apps/${appid}/containers`);
    await page.getByRole('button', { name: `Actions of ${killed}` }).click();
    await page.getByRole('menuitem', { name: 'Kill' }).click();
    const dialog = page.getByRole('dialog', { name: `Kill ${killed}?` });
    t.equal(await dialog.getByRole('button', { name: 'Kill' }).isEnabled(), false);
    await dialog.getByLabel(`Type ${killed} to confirm`).fill(killed);
    await dialog.getByRole('button', { name: 'Kill' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('row', { name: killed }).getByText('killed').waitFor();
    const [next] = await until(
      async () => (await streaming()).filter(({ id }) => id !== kept && id !== killed),
      (containers) => containers.length > 0,
    );
    await page
      .getByRole('row', { name: next?.id ?? '' })
      .getByText('active')
      .waitFor();
    t.equal((await client.getContainer({ params: { appid, containerId: killed } })).state, 'KILLED');
    await page.getByRole('link', { name: killed }).click();
    await page.getByText('It has ended. What it ran').waitFor();
    const look = page.getByRole('button', { name: 'Look at the threads' });
    t.equal(await look.getAttribute('aria-disabled'), 'true', 'and says why');
    await page.reload();
    await page.getByText('It has ended. What it ran').waitFor();
  }),
);

t.test('threads are shown with their stacks, and looked at again', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, `apps/${appid}/containers/${kept}`);
    await page.getByRole('button', { name: 'Look at the threads' }).click();
    const stack = page.getByRole('button', { name: /main/ });
    await stack.click();
    await page.locator('pre').filter({ visible: true }).waitFor();
    const asked = page.waitForResponse((response) => response.url().endsWith('/stackTrace'));
    await page.getByRole('button', { name: 'Look again' }).click();
    t.equal((await asked).status(), 200);
  }),
);

t.test('a level of a logger is set', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, `apps/${appid}/containers`);
    await page.getByLabel('Class or package').fill('headgate.io.FileLines');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await page.getByText('Set now: headgate.io.FileLines DEBUG').waitFor();
    t.strictSame((await client.listLoggers({ params: { appid } })).loggers, [
      { target: 'headgate.io.FileLines', logLevel: 'DEBUG' },
    ]);
  }),
);

t.test('a log is followed, left by the wheel, and comes back by what is new', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    writeLog('growing.log', 300_000);
    await enter(page, baseUrl, logLink('growing.log'));
    await lines(page).last().waitFor();
    appendFileSync(place('growing.log'), 'the newest line\n');
    await page.getByText('the newest line').waitFor();
    await page.locator('.cm-scroller').hover();
    await page.mouse.wheel(0, -1500);
    await page.waitForURL(/at=byte/);
    appendFileSync(place('growing.log'), 'one more\nand another\n');
    await page.getByRole('button', { name: '↓ 2 new lines' }).click();
    await page.getByText('and another').waitFor();
    await page.waitForURL((url) => !url.search.includes('at='));
    writeFileSync(place('growing.log'), 'begun anew\n');
    await page.getByText('The log was rotated, continued at 0').waitFor();
    await page.getByText('begun anew').waitFor();
  }),
);

t.test('a log of 1 GB: its end, a search with hits, a time, a byte, and the link of each', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    const count = writeLog('large.log', 1024 ** 3);
    const asked = bytesAsked(page, 'large.log');
    await enter(page, baseUrl, logLink('large.log'));
    await page.getByText(`order ${String(count - 1).padStart(8, '0')}`).waitFor();
    t.ok(asked.bytes > 0 && asked.bytes < 1024 * 1024, `${asked.bytes} bytes were read to open it`);

    await page.getByLabel('Search the whole log').fill('Orders - order \\d+ .*needle$');
    await page.keyboard.press('Enter');
    const hits = Array.from({ length: count }, (_, n) => n).filter((n) => n % 100_000 === 777).length;
    await page.getByText(`, ${hits} hits`).waitFor();
    await page.getByText(/searched all of/).waitFor();
    await page.locator('.long-text-current .long-text-hit').waitFor();
    const last = await page.locator('.long-text-current').textContent();
    await page.locator('.cm-content').focus();
    await page.keyboard.press('p');
    await page
      .locator('.long-text-current')
      .filter({ hasNotText: last ?? '' })
      .waitFor();
    const number = 300_777;
    await page.getByRole('button', { name: 'Go to' }).click();
    await page.getByRole('dialog', { name: 'Go to' }).getByRole('textbox').fill(line(number).slice(0, 19));
    await page.keyboard.press('Enter');
    await page.getByText(`order ${String(number - 1).padStart(8, '0')}`).waitFor();

    const at = 234_003 * lineBytes;
    await page.getByRole('button', { name: 'Go to' }).click();
    await page.getByRole('dialog', { name: 'Go to' }).getByRole('textbox').fill(`byte:${at}`);
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`at=byte(:|%3A)${at}`));
    // The hits before it are longer than the other lines.
    const there = page.getByText('order 00234002');
    await there.waitFor();
    await page.reload();
    await there.waitFor();
  }),
);

/** How many bytes of a log the page has asked for. */
function bytesAsked(page: Page, log: string): { readonly bytes: number } {
  const asked = { bytes: 0 };
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith(`/logs/${log}`) && pathname.includes('/ws/'))
      asked.bytes += Number(searchParams.get('end')) - Number(searchParams.get('start'));
  });
  return asked;
}

t.test('a line of 10 MB is shown in part, more of it on demand, and what follows it too', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    writeFileSync(
      place('long.log'),
      `before\n${'x'.repeat(10 * 1024 * 1024)}\n${Array.from({ length: 20 }, (_, n) => `after ${n}\n`).join('')}`,
    );
    await enter(page, baseUrl, logLink('long.log', '?at=byte:0'));
    await page.getByText('before').waitFor();
    await page.getByText('after 19').waitFor();
    const more = page.getByRole('button', { name: '… 10 MiB, show more' });
    // It stands at the end of the line.
    await more.dispatchEvent('click');
    await page.getByRole('button', { name: '… 10 MiB, download this line' }).waitFor({ state: 'attached' });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    t.equal(download.suggestedFilename(), 'long.log');
    await download.cancel();
  }),
);

t.test('a level hides what is less, and stands in the link; wrapping is a taste', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    writeFileSync(place('levels.log'), `${line(1)}${line(1000)}  at there\n${line(1001)}`);
    await enter(page, baseUrl, logLink('levels.log'));
    await page.getByText('order 00001001').waitFor();
    await page.getByRole('combobox', { name: 'Levels' }).click();
    await page.getByRole('option', { name: 'ERROR and worse' }).click();
    await page.getByText('order 00001001').waitFor({ state: 'detached' });
    t.equal(await lines(page).count(), 2);
    await page.reload();
    await page.getByText('at there').waitFor();
    t.equal(await lines(page).count(), 2);
    await page.getByRole('switch', { name: 'Wrap' }).click();
    await page.locator('.cm-lineWrapping').waitFor();
    await until(
      () => client.listOwnSettings(),
      (settings) => JSON.stringify(settings['console'] ?? {}).includes('"logWrap":true'),
    );
  }),
);
