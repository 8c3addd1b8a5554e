import t from 'tap';
import { createClient } from '../../../lib/client.js';
import { refuses } from '../../helpers/accounts.js';
import { until } from '../../helpers/waiting.js';
import { closeBrowser, enter, inaccessible, inWindow } from './browser.js';
import { administrator, runningServer } from './running-server.js';

const { baseUrl, client } = await runningServer(t);
t.teardown(closeBrowser);

const viewer = { userName: 'vera', password: 'only looking around' };
await client.createUser({
  params: { user: viewer.userName },
  body: { password: viewer.password, roles: ['operator'] },
});

/** No mail server is set, and a call alone can tell. */
const unset = /^404 \S+\/ws\/v2\/config\/smtp$/;

const screens: readonly (readonly [link: string, shown: string])[] = [
  ['cluster', 'Configuration'],
  ['services', 'No service yet'],
  ['admin', 'Who has an account here'],
  ['admin/users', 'Create a user'],
  ['admin/roles', 'MANAGE_ROLES'],
  ['admin/auth', 'Mechanism'],
  ['admin/mail', 'Address of the sender'],
  ['admin/licenses', 'Add a license'],
  ['admin/usage', 'Measure the usage'],
  ['admin/properties?unset=true', 'platform.phoneHome.url'],
  ['admin/issues', 'Issues'],
  ['admin/audit', 'Object begins with'],
  ['profile', 'Time zone'],
];

for (const [scheme, width] of [
  ['light', 1280],
  ['dark', 375],
] as const) {
  t.test(`each screen by its link, ${scheme}, ${width} px`, (t) =>
    inWindow(t, { baseUrl, scheme, width, allowed: unset }, async (page) => {
      await enter(page, baseUrl, 'profile');
      for (const [link, shown] of screens) {
        await page.goto(`${baseUrl}/console/${link}`);
        await page.getByText(shown).first().waitFor();
        t.strictSame(await inaccessible(page), [], link);
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        t.ok(Number(overflow) <= 0, `${link} is no wider than the window`);
      }
    }),
  );
}

t.test('a user is created, gets roles and a password, and is deleted by name', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, 'admin/users');
    await page.getByRole('button', { name: 'Create a user' }).click();
    const form = page.getByRole('dialog', { name: 'Create a user' });
    await form.getByLabel('User name').fill('ana');
    await form.getByLabel('Password').first().fill('a word of her own');
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    await form.waitFor({ state: 'hidden' });
    await page.getByRole('cell', { name: 'ana', exact: true }).waitFor();
    t.strictSame(await client.getUser({ params: { user: 'ana' } }), { userName: 'ana', roles: [] });

    await page.getByRole('button', { name: 'Actions of ana' }).click();
    await page.getByRole('menuitem', { name: 'Change roles' }).click();
    const roles = page.getByRole('dialog', { name: 'Roles of ana' });
    await roles.getByLabel('Roles').first().fill('developer');
    await page.getByRole('option', { name: 'developer' }).click();
    await page.keyboard.press('Escape');
    await roles.getByRole('button', { name: 'Save' }).click();
    await roles.waitFor({ state: 'hidden' });
    t.match(await client.getUser({ params: { user: 'ana' } }), { roles: ['developer'] });

    await page.getByRole('button', { name: 'Actions of ana' }).click();
    await page.getByRole('menuitem', { name: 'Reset password' }).click();
    const password = page.getByRole('dialog', { name: 'New password for ana' });
    await password.getByLabel('New password').first().fill('another word of hers');
    await password.getByRole('button', { name: 'Save' }).click();
    await password.waitFor({ state: 'hidden' });
    const ana = createClient({ baseUrl });
    await ana.login({ body: { userName: 'ana', password: 'another word of hers' } });
    await ana.createToken({ body: { name: 'script' } });

    await page.getByRole('button', { name: 'Actions of ana' }).click();
    await page.getByRole('menuitem', { name: 'API tokens' }).click();
    await page.getByRole('cell', { name: 'script' }).waitFor();
    await page.getByRole('button', { name: 'Delete all' }).click();
    await page.getByLabel('Type ana to confirm').fill('ana');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete all' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    t.strictSame(await client.listTokens({ query: { user: 'ana' } }), { tokens: [] });

    await page.getByRole('button', { name: 'Actions of ana' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByLabel('Type ana to confirm').fill('ana');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('cell', { name: 'ana', exact: true }).waitFor({ state: 'hidden' });
    t.notOk((await client.listUsers()).users.some(({ userName }) => userName === 'ana'));
  }),
);

t.test('roles are changed in the matrix, shown as changes, and saved at once', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, 'admin/roles');
    await page.getByRole('button', { name: 'Create a role' }).click();
    const form = page.getByRole('dialog', { name: 'Create a role' });
    await form.getByLabel('Name of the role').fill('keeper');
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByLabel('keeper: VIEW_LOGS').check();
    await page.getByLabel('operator: VIEW_LICENSES').uncheck();
    await page.getByText('2 changes, not saved yet').waitFor();
    await page.reload();
    await page.getByText('2 changes, not saved yet').waitFor();
    t.strictSame(await client.getRole({ params: { role: 'keeper' } }), { permissions: [] }, 'not saved yet');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('2 changes, not saved yet').waitFor({ state: 'hidden' });
    t.strictSame(await client.getRole({ params: { role: 'keeper' } }), { permissions: ['VIEW_LOGS'] });
    const { permissions } = await client.getRole({ params: { role: 'operator' } });
    t.notOk(permissions.includes('VIEW_LICENSES'));
    t.ok(permissions.includes('VIEW_LOGS'), 'the others stay');

    await page.getByRole('button', { name: 'Add a group' }).click();
    await page.getByLabel('Name of group 1').fill('staff');
    await page.getByLabel('Roles of group 1').first().fill('keeper');
    await page.getByRole('option', { name: 'keeper' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save' }).click();
    await until(
      () => client.getGroupMapping(),
      ({ groupMapping }) => groupMapping.length === 1,
    );
    t.strictSame(await client.getGroupMapping(), { groupMapping: [{ group: 'staff', roles: ['keeper'] }] });

    await page.getByRole('button', { name: 'Restore the shipped roles' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    t.ok((await client.getRole({ params: { role: 'operator' } })).permissions.includes('VIEW_LICENSES'));
  }),
);

t.test(
  'a property is set and says that it waits; the gateway restarts while one looks, and the page goes on',
  (t) =>
    // Everybody is logged out by a restart: that is what this page is told.
    inWindow(t, { baseUrl, allowed: /^401 |^50[23] |WebSocket/ }, async (page) => {
      const name = 'platform.gateway.autoPublishInterval';
      await enter(page, baseUrl, 'admin/properties');
      await page.getByLabel('Also those that are not set').check();
      await page.getByRole('button', { name: `Change ${name}` }).click();
      const form = page.getByRole('dialog', { name: `Set ${name}` });
      await form.getByLabel('Value').fill('2000');
      await form.getByRole('button', { name: 'Save' }).click();
      await form.waitFor({ state: 'hidden' });
      await page.getByText('Changes wait for a restart').waitFor();
      await page.getByRole('row', { name }).getByText('waits').waitFor();
      t.match(await client.getProperty({ params: { PROPERTY_NAME: name } }), { value: '2000' });

      const { jvmName } = await client.getAbout();
      await page.getByRole('button', { name: 'Restart the gateway' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Restart' }).click();
      const ended = page.getByRole('dialog', { name: 'Your session has ended' });
      await ended.waitFor();
      t.not((await client.getAbout()).jvmName, jvmName);
      await ended.getByLabel('User name').fill(administrator.userName);
      await ended.getByLabel('Password').first().fill(administrator.password);
      await ended.getByRole('button', { name: 'Log in' }).click();
      await ended.waitFor({ state: 'hidden' });
      await page.getByText('Changes wait for a restart').waitFor({ state: 'hidden' });
      await client.login({ body: administrator });
      t.notOk((await client.listKnownProperties()).properties.some(({ isWaiting }) => isWaiting));

      await page.getByRole('button', { name: `Remove ${name}` }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByText('Changes wait for a restart').waitFor();
      t.notOk(name in (await client.listProperties()));
    }),
);

t.test('settings of the login are tested before they are saved', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, 'admin/auth');
    await page.getByLabel('User name').fill(viewer.userName);
    await page.getByLabel('Password').first().fill(viewer.password);
    await page.getByRole('button', { name: 'Test these settings' }).click();
    await page.getByText('This login would succeed').waitFor();
    await page.getByLabel('Password').first().fill('not hers');
    await page.getByRole('button', { name: 'Test these settings' }).click();
    await page.getByText('This login would fail').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved; it counts from the next restart on').waitFor();
    t.match(await client.getAuthConfig(), { type: 'password' });
  }),
);

t.test('the audit log shows what happens while one looks, and a filter is in the address', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, 'admin/audit?operation=putRole');
    const rows = page.getByRole('button', { name: 'Details of putRole' });
    await rows.first().waitFor();
    const before = await rows.count();
    await page.getByText('Live').waitFor({ state: 'attached' });
    await client.putRole({ params: { role: 'watcher' }, body: { permissions: ['VIEW_LOGS'] } });
    await page.getByRole('cell', { name: '/ws/v2/auth/roles/watcher' }).waitFor();
    t.equal(await rows.count(), before + 1);
    await rows.first().click();
    await page.getByRole('dialog', { name: 'putRole' }).getByText('VIEW_LOGS').waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Who').fill('nobody of this name');
    await page.keyboard.press('Enter');
    await page.getByText('No record fits these filters').waitFor();
    await page.waitForURL(/user=nobody/);
    await page.reload();
    await page.getByText('No record fits these filters').waitFor();
  }),
);

t.test('a token is shown once; sessions elsewhere are ended; a password is changed', (t) =>
  inWindow(t, { baseUrl, allowed: /^401 / }, async (page) => {
    const elsewhere = createClient({ baseUrl });
    await elsewhere.login({ body: viewer });
    await enter(page, baseUrl, 'profile', viewer);
    await page.getByRole('button', { name: 'Create a token' }).click();
    const form = page.getByRole('dialog', { name: 'Create a token' });
    await form.getByLabel('What it is for').fill('nightly');
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    const shown = page.getByRole('dialog', { name: 'Your new token' });
    const token = (await shown.getByTestId('token').textContent()) ?? '';
    const script = createClient({ baseUrl, headers: { authorization: `Bearer ${token}` } });
    t.match(await script.getProfile(), { userName: viewer.userName });
    await shown.getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('cell', { name: 'nightly', exact: true }).waitFor();
    t.notOk((await page.content()).includes(token), 'it is nowhere in the page any more');
    await page.getByRole('button', { name: 'Delete the token nightly' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('You have no API token').waitFor();
    await refuses(t, script.getProfile(), { status: 401 });

    await page.getByRole('button', { name: /^End the session from/ }).click();
    await page.getByRole('button', { name: /^End the session from/ }).waitFor({ state: 'hidden' });
    await refuses(t, elsewhere.getProfile(), { status: 401 });

    await page.getByText('Compact', { exact: true }).click();
    await page.getByLabel('Time zone').first().fill('Asia/Tok');
    await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
    const present = createClient({ baseUrl });
    await present.login({ body: viewer });
    await until(
      () => present.listOwnSettings(),
      ({ console: kept }) =>
        JSON.stringify(kept).includes('Asia/Tokyo') && JSON.stringify(kept).includes('compact'),
    );

    await page.getByLabel('Present password').first().fill(viewer.password);
    await page
      .getByLabel(/^New password(?! again)/)
      .first()
      .fill('looking elsewhere');
    await page.getByLabel('New password again').first().fill('looking elsewhere');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('Your password is changed').waitFor();
    await present.login({ body: { ...viewer, password: 'looking elsewhere' } });
    await present.changeUser({
      params: { user: viewer.userName },
      body: { oldPassword: 'looking elsewhere', newPassword: viewer.password },
    });
  }),
);

t.test('who may look but not change sees why, and nothing of what is not theirs', (t) =>
  inWindow(t, { baseUrl, allowed: unset }, async (page) => {
    await enter(page, baseUrl, 'admin/properties', viewer);
    const parts = page.getByRole('navigation', { name: 'Parts of the administration' });
    await parts.getByRole('link', { name: 'Properties' }).waitFor();
    for (const hidden of ['Users', 'Audit log'])
      t.equal(await parts.getByRole('link', { name: hidden }).count(), 0, `${hidden} is not there`);
    const set = page.getByRole('button', { name: 'Set a property' });
    t.equal(await set.getAttribute('aria-disabled'), 'true');
    await set.hover();
    await page.getByRole('tooltip').filter({ hasText: 'EDIT_GLOBAL_CONFIG' }).waitFor();
    await page.goto(`${baseUrl}/console/admin/roles`);
    await page.getByLabel('operator: VIEW_LOGS').waitFor();
    t.ok(await page.getByLabel('operator: VIEW_LOGS').isDisabled());
  }),
);
