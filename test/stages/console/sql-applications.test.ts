import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { packageOf } from '../../helpers/packages.js';
import { until } from '../../helpers/waiting.js';
import { closeBrowser, enter, inaccessible, inWindow } from './browser.js';
import { flinkWithConsole } from './with-console.js';

// An application in SQL, from a name to rows and to a job of Flink.

t.teardown(closeBrowser);

const params = { owner: 'admin', name: 'sensors', version: '1.0.0', appName: 'words' };
const place = 'packages/admin/sensors/1.0.0';
const createWords = "CREATE TABLE words (word STRING) WITH ('connector' = 'datagen')";
const createCounts = "CREATE TABLE counts (word STRING, n BIGINT) WITH ('connector' = 'print')";
const insert = 'INSERT INTO counts SELECT word, COUNT(*) FROM words GROUP BY word';

async function withPackage(t: Test, { withSql = true } = {}) {
  const found = await flinkWithConsole(t, { withSql });
  const { client } = found;
  await client.uploadPackage({ body: packageOf({}, { 'lib/beside.jar': 'of jars' }) });
  const put = (...statements: string[]) =>
    client.putPackageApplication({
      params,
      body: { kind: 'sql', displayName: 'Words', statements },
      headers: { 'if-match': '*' },
    });
  const kept = async (): Promise<unknown> => (await client.getPackageApplication({ params })).fileContent;
  return { ...found, put, kept };
}

const statement = (page: Page, number: number) =>
  page.getByRole('group', { name: new RegExp(`^Statement ${number}\\b`) });

/** In place of what is there. */
async function write(page: Page, number: number, sql: string): Promise<void> {
  await statement(page, number).getByRole('textbox', { name: 'SQL' }).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(sql);
}

for (const { scheme, width } of [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 375 },
] as const)
  t.test(`one is made, sampled and launched, ${scheme}, ${width} px`, async (t) => {
    const { baseUrl, client, double, kept } = await withPackage(t);
    await inWindow(t, { baseUrl, scheme, width, allowed: /^400 / }, async (page) => {
      await enter(page, baseUrl, place);
      await page.getByRole('button', { name: 'New application' }).click();
      const dialog = page.getByRole('dialog', { name: 'New application' });
      await dialog.getByLabel('Name').fill('words');
      t.ok(await dialog.getByRole('radio', { name: 'Statements in SQL' }).isChecked());
      t.strictSame(await inaccessible(page), []);
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'There is no statement' }).waitFor();
      t.strictSame(await inaccessible(page), []);

      const add = page.getByRole('button', { name: 'Add a statement' });
      await add.click();
      const first = statement(page, 1).getByRole('textbox', { name: 'SQL' });
      await first.and(page.locator(':focus')).waitFor();
      await page.keyboard.insertText(createWords);
      await add.click();
      await statement(page, 2).getByRole('textbox').and(page.locator(':focus')).waitFor();
      await page.keyboard.insertText('SELECT 1');
      await add.click();
      await write(page, 3, insert);
      await page.getByLabel('New property').fill('execution.checkpointing.interval');
      await page.getByLabel('Value', { exact: true }).fill('10 s');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByLabel('execution.checkpointing.interval', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Save' }).click();

      const problem = statement(page, 2).getByText(/begins with SELECT: before the last/);
      await problem.waitFor();
      t.strictSame(await kept(), {
        kind: 'sql',
        displayName: 'words',
        statements: [createWords, 'SELECT 1', insert],
        properties: { 'execution.checkpointing.interval': '10 s' },
      });
      t.strictSame(await inaccessible(page), []);
      await page.getByRole('button', { name: /statements\.1/ }).click();
      await page.waitForURL(/sel=statement(:|%3A)1/);
      await statement(page, 2).getByRole('textbox').and(page.locator(':focus')).waitFor();
      await write(page, 2, createCounts);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('No problems').waitFor();
      await problem.waitFor({ state: 'detached' });

      const part = page.getByRole('region', { name: 'Sample', exact: true });
      const take = part.getByRole('button', { name: 'Take a sample' });
      // Until the package is read again, what was saved counts as unsaved.
      await until(
        () => take.getAttribute('aria-description'),
        (reason) => reason?.startsWith('Write a query first') === true,
      );
      const query = async (text: string) => {
        await part.getByRole('textbox', { name: 'Query' }).click();
        await page.keyboard.press('ControlOrMeta+a');
        await page.keyboard.insertText(text);
        await take.click();
      };
      await query('SELECT word FROM words LIMIT 3');
      const rows = part.getByRole('table', { name: 'Rows of the sample' });
      await part.getByText('3 rows.', { exact: true }).waitFor();
      await rows.getByRole('columnheader', { name: 'word VARCHAR' }).waitFor();
      t.equal(await rows.getByRole('row').count(), 4);
      await part.getByLabel('Rows at most').fill('7');
      await query('SELECT COUNT(*) FROM words');
      await part.getByText('7 rows. There may be more: it stopped at the number of rows').waitFor();
      await rows.getByRole('row', { name: 'until now' }).first().waitFor();
      t.strictSame(await inaccessible(page), []);
      await query('SELECT word FROM nothing');
      await part
        .getByRole('alert')
        .getByText(/Object 'nothing' not found/)
        .waitFor();
      t.equal(await rows.count(), 0);
      await page.reload();
      t.match(await part.getByRole('textbox', { name: 'Query' }).innerText(), /FROM nothing/, 'it is kept');

      await page.getByRole('button', { name: 'Launch', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Launch words' }).waitFor();
      t.strictSame(await inaccessible(page), []);
      await page.getByRole('button', { name: 'Launch', exact: true }).click();
      await page.waitForURL(/\/apps\/[0-9a-f]{32}$/);
      const [, appid = ''] = /\/apps\/([0-9a-f]{32})$/.exec(page.url()) ?? [];
      t.equal(double.jobs.get(appid)?.state, 'RUNNING');
      t.match(await client.getApplication({ params: { appid } }), { name: 'words', user: 'admin' });
    });
  });

t.test('statements are moved and removed by mouse and keyboard, which stays where it was', async (t) => {
  const { baseUrl, put, kept } = await withPackage(t);
  await put(createCounts, createWords, insert);
  await inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, `${place}/apps/words/edit?sel=statement:1`);
    await statement(page, 2).getByRole('textbox').and(page.locator(':focus')).waitFor();
    await page.getByRole('button', { name: 'Move statement 2 up' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Statement 2 is number 1 now').waitFor({ state: 'attached' });
    const up = page.getByRole('button', { name: 'Move statement 1 up' });
    await up.and(page.locator(':focus')).waitFor();
    t.equal(await up.getAttribute('aria-disabled'), 'true', 'it keeps the keyboard');
    t.equal(await statement(page, 1).getByRole('textbox').innerText(), createWords);
    await page.getByRole('button', { name: 'Move statement 1 down' }).click();
    await page.getByRole('button', { name: 'Move statement 2 up' }).click();
    await page.getByRole('button', { name: 'Insert one before statement 3' }).click();
    await page.keyboard.insertText("SET 'a' = 'b'");
    await page.getByRole('button', { name: 'Insert one before statement 1' }).click();
    await statement(page, 1).getByText('It is empty').waitFor();
    await page.getByRole('button', { name: 'Remove statement 1' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove statement 1' }).and(page.locator(':focus')).waitFor();
    await page.reload();
    await statement(page, 4).getByText('makes the job').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('Saved').first().waitFor();
    t.match(await kept(), { statements: [createWords, createCounts, "SET 'a' = 'b'", insert] });
  });
});

t.test('what somebody else has saved meanwhile is shown, and nothing is overwritten', async (t) => {
  const { baseUrl, put, kept } = await withPackage(t);
  await put(createWords, createCounts, insert);
  await inWindow(t, { baseUrl, allowed: /^412 / }, async (page) => {
    await enter(page, baseUrl, `${place}/apps/words/edit`);
    await write(page, 1, `${createWords} -- mine`);
    await put(createWords, createCounts, "SET 'c' = 'd'", insert);
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Somebody has changed it meanwhile' });
    await dialog.getByText('statements', { exact: true }).waitFor();
    t.strictSame(await inaccessible(page), []);
    t.match(await kept(), { statements: [createWords, createCounts, "SET 'c' = 'd'", insert] });
    await dialog.getByRole('button', { name: 'All theirs' }).click();
    await dialog.getByRole('button', { name: 'Take this over' }).click();
    await statement(page, 3).getByText("SET 'c' = 'd'").waitFor();
    await page.getByRole('button', { name: 'Discard changes' }).waitFor({ state: 'hidden' });
  });
});

t.test('without a SQL gateway it says so, and samples nothing', async (t) => {
  const { baseUrl, put } = await withPackage(t, { withSql: false });
  await put(createWords, insert);
  await inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, `${place}/apps/words/edit`);
    const part = page.getByRole('region', { name: 'Sample', exact: true });
    const reason = /resourceManager\.sampler/;
    await part.getByText(reason).waitFor();
    t.match(
      await part.getByRole('button', { name: 'Take a sample' }).getAttribute('aria-description'),
      reason,
    );
    await page
      .getByText(/set the option sqlGateway/)
      .first()
      .waitFor();
    t.strictSame(await inaccessible(page), []);
    await page.goto(`${baseUrl}/console/${place}`);
    await page.getByRole('button', { name: 'New application' }).click();
    const operators = page.getByRole('dialog').getByRole('radio', { name: 'Operators' });
    await operators.waitFor({ state: 'attached' });
    t.ok(await operators.isChecked());
  });
});
