import type { Page } from 'playwright-core';
import t from 'tap';
import { until } from '../../helpers/waiting.js';
import { closeBrowser, enter, inaccessible, inWindow } from './browser.js';
import { runningServer } from './running-server.js';

const { baseUrl, client } = await runningServer(t);
t.teardown(closeBrowser);

const name = 'Apps / 100 % <b>';
const open = (page: Page, link: string) => page.goto(`${baseUrl}/console/${link}`);
const alertOf = async () => (await client.listAlerts()).alerts.find((one) => one.name === name);
const menuOf = async (page: Page, item: string) => {
  await page.getByRole('button', { name: `Actions of ${name}` }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};

t.test('a new alert: typed with completion, judged, saved, active, over, disabled, deleted', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, 'alerts');
    await page.getByText('No alert yet').waitFor();
    await page.getByRole('button', { name: 'New alert' }).first().click();
    await page.getByLabel('Name').fill(name);

    const condition = page.getByRole('textbox', { name: 'Condition' });
    await condition.click();
    await page.keyboard.type("_topic['cl");
    await page.getByRole('option', { name: /cluster\.metrics/ }).click();
    await page.keyboard.type('.numAppsR');
    await page.getByRole('option', { name: /numAppsRunning.*1/ }).click();
    t.equal(await condition.innerText(), "_topic['cluster.metrics'].numAppsRunning");
    await page.keyboard.type(' > 5');
    const now = page.getByRole('region', { name: 'Now' });
    await now.getByText('false: it would not be active').waitFor();
    await now.getByText('Nothing recorded yet').waitFor();
    await now.getByText('cluster.metrics › numAppsRunning').waitFor();
    await page.keyboard.press('Backspace');
    await page.keyboard.type('0');
    await now.getByText('true: it would be active').waitFor();

    await page.reload();
    t.equal(await condition.innerText(), "_topic['cluster.metrics'].numAppsRunning > 0", 'a draft stays');
    await page.getByLabel('Mail to').fill('ops@example.org');
    await page.getByLabel('What the mail says').fill('Something runs');
    await page.getByRole('button', { name: 'Send test mail' }).click();
    await page.getByText(/The test mail was not sent: .+/).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(/\/console\/alerts$/);
    t.match(await alertOf(), {
      condition: "_topic['cluster.metrics'].numAppsRunning > 0",
      email: 'ops@example.org',
      description: 'Something runs',
      timeThresholdMillis: 0,
      disabled: false,
    });

    await page.getByRole('listitem').getByText('active').first().waitFor();
    await page.getByRole('link', { name: '1 alert is active' }).waitFor();
    await page.getByRole('img', { name: 'Last 24 hours: 1 activation' }).waitFor();

    await page.getByRole('link', { name }).click();
    await page.getByRole('heading', { name: `Alert ${name}` }).waitFor();
    await page.getByRole('img', { name: /^Last .*: \d+ activations?$/ }).waitFor();
    await page.getByLabel('Must hold for, seconds').fill('2.5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(/\/console\/alerts$/);
    t.equal((await alertOf())?.timeThresholdMillis, 2500);

    await until(alertOf, (alert) => alert?.alertStatus.isInAlert === true);
    await menuOf(page, 'Disable');
    await page.getByRole('listitem').getByText('disabled').first().waitFor();
    t.equal((await alertOf())?.disabled, true);
    await page.getByRole('link', { name: 'History' }).click();
    await page
      .getByText(/Something runs.*no mail sent/)
      .first()
      .waitFor();
    await page.getByLabel('Filter by name or message').fill('nothing like it');
    await page.getByText('Nothing fits this filter').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByText(name).first().waitFor();

    await page
      .getByRole('navigation', { name: 'Parts of alerts' })
      .getByRole('link', { name: 'Alerts' })
      .click();
    await menuOf(page, 'Enable');
    await until(alertOf, (alert) => alert?.disabled === false);
    await menuOf(page, 'Delete');
    await page
      .getByRole('dialog', { name: `Delete the alert ${name}?` })
      .getByRole('button', { name: 'Delete' })
      .click();
    await page.getByText('No alert yet').waitFor();
    t.strictSame((await client.listAlerts()).alerts, []);
  }),
);

t.test('what can’t be read is marked where it is; what throws is another answer', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, 'alerts/edit');
    await page.getByRole('textbox', { name: 'Condition' }).click();
    await page.keyboard.insertText('true;\n1 +* 2');
    await page.getByText(/it can’t be read: line 2, column \d+/).waitFor();
    await page.locator('.cm-line:nth-child(2) .cm-lintRange-error').waitFor();
    await page.keyboard.press('Control+a');
    // What replaces coloured text Chromium colours itself, which the policy forbids.
    await page.keyboard.press('Delete');
    await page.keyboard.insertText('_topic.nothing.like > 1');
    await page.getByText('it throws: no answer, an alert stays as it is').waitFor();
    await page.getByText('Without data: nothing').waitFor();
    t.equal(await page.locator('.cm-lintRange-error').count(), 0, 'no line is to blame');
  }),
);

t.test('what somebody else has changed meanwhile is not overwritten unasked', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    const body = { condition: 'false', email: 'a@example.org', description: '', timeThresholdMillis: 0 };
    await client.putAlert({ params: { name }, body });
    await enter(page, baseUrl, `alerts/edit?name=${encodeURIComponent(name)}`);
    await page.getByLabel('What the mail says').fill('Mine');
    await client.putAlert({ params: { name }, body: { ...body, description: 'Theirs' } });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody has changed this alert since you began').waitFor();
    t.equal((await alertOf())?.description, 'Theirs');
    await page.getByRole('button', { name: 'Save mine' }).click();
    await page.waitForURL(/\/console\/alerts$/);
    t.equal((await alertOf())?.description, 'Mine');
    await client.deleteAlert({ params: { name } });
    await open(page, `alerts/edit?name=${encodeURIComponent(name)}`);
    await page.getByText('There is no such alert').waitFor();
  }),
);

t.test('a template is made, used and deleted', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, 'alerts/templates');
    await page.getByRole('button', { name: 'New template' }).click();
    await page.getByLabel('Name').fill('Many');
    await page.getByRole('textbox', { name: 'Script', exact: true }).click();
    await page.keyboard.insertText("_topic['cluster.metrics'].numAppsRunning >= {{LEAST}}");
    await page.getByRole('button', { name: 'Add a parameter' }).click();
    await page.getByLabel('Variable').fill('LEAST');
    await page.getByLabel('Label').fill('At least');
    await page.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Number' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Use Many' }).click();
    await page.getByRole('button', { name: 'Make the condition' }).click();
    await page.getByText('Has to be given').waitFor();
    await page.getByLabel('At least').fill('1');
    await page.getByRole('button', { name: 'Make the condition' }).click();
    await page.getByText('true: it would be active').waitFor();
    t.equal(
      await page.getByRole('textbox', { name: 'Condition' }).innerText(),
      "_topic['cluster.metrics'].numAppsRunning >= 1",
    );
    await open(page, 'alerts/templates');
    await page.getByRole('region', { name: 'Many' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('region', { name: 'Many' }).waitFor({ state: 'detached' });
    const { templates } = await client.listAlertTemplates();
    t.notOk(templates.some((template) => template.name === 'Many'));
  }),
);

t.test('every screen, in both themes and widths', async (t) => {
  await client.putAlert({
    params: { name },
    body: { condition: 'true', email: 'a@example.org', description: 'Always', timeThresholdMillis: 0 },
  });
  await until(alertOf, (alert) => alert?.alertStatus.isInAlert === true);
  for (const scheme of ['light', 'dark'] as const) {
    for (const width of [1280, 375]) {
      await inWindow(t, { baseUrl, scheme, width }, async (page) => {
        await enter(page, baseUrl, 'alerts');
        await page.getByRole('listitem').getByText('active').first().waitFor();
        t.strictSame(await inaccessible(page), [], `list, ${scheme}, ${width} px`);
        await open(page, `alerts/edit?name=${encodeURIComponent(name)}`);
        await page.getByText('true: it would be active').waitFor();
        t.strictSame(await inaccessible(page), [], `editor, ${scheme}, ${width} px`);
        await open(page, 'alerts/history');
        await page.getByText('goes on').waitFor();
        t.strictSame(await inaccessible(page), [], `history, ${scheme}, ${width} px`);
        await open(page, 'alerts/templates');
        await page.getByRole('region', { name: 'Cluster CPU Usage' }).waitFor();
        t.strictSame(await inaccessible(page), [], `templates, ${scheme}, ${width} px`);
        await open(page, 'alerts/templates?edit=Cluster%20CPU%20Usage');
        await page.getByLabel('Variable').waitFor();
        t.strictSame(await inaccessible(page), [], `template, ${scheme}, ${width} px`);
      });
    }
  }
});
