import type { Page } from 'playwright-core';
import t from 'tap';
import { closeBrowser, enter, inWindow } from './browser.js';
import { runningServer } from './running-server.js';

const { baseUrl, client } = await runningServer(t);
t.teardown(closeBrowser);

/** No mail server is set, and a call alone can tell. */
const unset = /^404 \S+\/ws\/v2\/config\/smtp$/;

const kept = (page: Page) => page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])');

t.test('settings of mail survive a reload while they are typed, and the password is kept nowhere', (t) =>
  inWindow(t, { baseUrl, allowed: unset }, async (page) => {
    await enter(page, baseUrl, 'admin/mail');
    await page.getByLabel('Host').fill('mail.example.org');
    await page.getByLabel('Log in at the server').check();
    await page.getByLabel('User name').fill('robot');
    await page.getByLabel('Password').first().fill('a secret of the robot');
    await page.reload();
    await page.getByLabel('User name').waitFor();
    t.equal(await page.getByLabel('Host').inputValue(), 'mail.example.org');
    t.equal(await page.getByLabel('User name').inputValue(), 'robot');
    t.equal(await page.getByLabel('Password').first().inputValue(), '');
    t.match(await kept(page), 'mail.example.org');
    t.notMatch(await kept(page), 'a secret');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    t.equal(await page.getByLabel('Host').inputValue(), '');
    await page.reload();
    await page.getByLabel('Host').waitFor();
    t.equal(await page.getByLabel('Host').inputValue(), '', 'it is not back');
  }),
);

t.test('settings of the login too, and a session that ends takes nothing from the form', (t) =>
  inWindow(t, { baseUrl, allowed: /^401 / }, async (page) => {
    await enter(page, baseUrl, 'admin/auth');
    await page.getByRole('combobox', { name: 'Mechanism' }).click();
    await page.getByRole('option', { name: /LDAP/ }).first().click();
    await page.getByLabel('Server').first().fill('ldaps://directory.example.org');
    await page.getByLabel('Bind password').first().fill('a secret of the gateway');
    const { sessions } = await client.listOwnSessions();
    for (const { id, isCurrent } of sessions) if (!isCurrent) await client.endSession({ params: { id } });
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    t.equal(
      await page.getByLabel('Bind password').first().inputValue(),
      'a secret of the gateway',
      'it stays',
    );
    t.notMatch(await kept(page), 'a secret');
    await enter(page, baseUrl, 'admin/auth');
    t.equal(await page.getByLabel('Server').first().inputValue(), 'ldaps://directory.example.org');
    t.equal(await page.getByLabel('Bind password').first().inputValue(), '');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByLabel('Server').first().waitFor({ state: 'hidden' });
  }),
);

t.test('typing over coloured text that is selected breaks no policy', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, 'alerts/edit');
    const condition = page.getByRole('textbox', { name: 'Condition' });
    await condition.click();
    await page.keyboard.type('const one = "coloured";');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('true');
    t.equal(await condition.innerText(), 'true');
  }),
);

t.test('who types faster than the page is drawn loses no letter', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, 'alerts/edit');
    const condition = page.getByRole('textbox', { name: 'Condition' });
    await condition.click();
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Emulation.setCPUThrottlingRate', { rate: 10 });
    const text = `// ${'0123456789'.repeat(20)}`;
    await page.keyboard.type(text);
    await devTools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    await page.waitForFunction(`Object.values(sessionStorage).some((draft) => draft.includes('${text}'))`);
    t.equal(await condition.innerText(), text);
  }),
);

t.test('the tab of an application where one is stands in view on a small screen', (t) =>
  inWindow(t, { baseUrl, width: 375 }, async (page) => {
    const [app] = (await client.listApplications({ query: { states: 'RUNNING' } })).apps;
    await enter(page, baseUrl, `apps/${app?.id}/permissions`);
    const tab = page.getByRole('link', { name: 'Permissions' });
    await tab.waitFor();
    await page.waitForFunction(
      'document.querySelector(\'nav a[data-status="active"][href$="permissions"]\').getBoundingClientRect().right <= innerWidth',
    );
    const box = await tab.boundingBox();
    t.ok(box && box.x >= 0 && box.x + box.width <= 375);
  }),
);
