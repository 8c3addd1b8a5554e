import type { Page } from 'playwright-core';
import t from 'tap';
import { createClient } from '../../../lib/client.js';
import { until } from '../../helpers/waiting.js';
import { closeBrowser, enter, inWindow } from './browser.js';
import { administrator, restartableServer } from './running-server.js';
import { socketRelay } from './socket-relay.js';

const server = await restartableServer(t);
const { baseUrl, client } = server;
t.teardown(closeBrowser);

const vera = { userName: 'vera', password: 'only looking around' };
const all = [
  'VIEW_OTHER_USERS_APPS',
  'MANAGE_OTHER_USERS_APPS',
  'VIEW_SYSTEM_ALERTS',
  'MANAGE_SYSTEM_ALERTS',
  'VIEW_GLOBAL_CONFIG',
];
const allow = (permissions: readonly string[]) =>
  client.putRole({ params: { role: 'keeper' }, body: { permissions: [...permissions] } });
await allow(all);
await client.createUser({
  params: { user: vera.userName },
  body: { password: vera.password, roles: ['keeper'] },
});

const live = (page: Page) => page.getByRole('status').getByText('Live', { exact: true });
const offline = (page: Page) => page.getByRole('status').getByText(/^Offline since .+, reconnecting…$/);
const ended = (page: Page) => page.getByRole('dialog', { name: 'Your session has ended' });

const runningId = async (): Promise<string> => {
  const { apps } = await until(
    () => client.listApplications({ query: { states: 'RUNNING' } }),
    (list) => list.apps.length === 1,
  );
  return apps[0]?.id ?? '';
};

/** Without it an alert is not saved. */
async function writeMail(page: Page): Promise<void> {
  await page.getByLabel('Mail to').fill('ops@example.org');
  await page.getByLabel('What the mail says').fill('Look at it');
}

async function logInAgain(page: Page, user: typeof vera): Promise<void> {
  await ended(page).getByLabel('User name').fill(user.userName);
  await ended(page).getByLabel('Password').first().fill(user.password);
  await ended(page).getByRole('button', { name: 'Log in' }).click();
  await ended(page).waitFor({ state: 'hidden' });
}

t.test('a socket that dies is told, and what was live goes on when it is back', async (t) => {
  const relay = await socketRelay(t, baseUrl);
  await inWindow(t, { baseUrl: relay.baseUrl, allowed: /WebSocket/ }, async (page) => {
    await enter(page, relay.baseUrl, 'topics?topic=my.news');
    const heard: number[] = [];
    client.countSubscribers('my.news', (count) => heard.push(count));
    const subscribers = (count: number) =>
      until(
        () => heard.at(-1),
        (last) => last === count,
      );
    await subscribers(1);
    client.publish('my.news', { told: 'before' });
    await page.getByText('"told": "before"').waitFor();
    await live(page).waitFor({ state: 'attached' });
    relay.cut();
    await offline(page).waitFor();
    t.notOk(await ended(page).isVisible(), 'the session stands');
    await page.getByText('"told": "before"').waitFor();
    await subscribers(0);
    relay.mend();
    await live(page).waitFor({ state: 'attached' });
    await offline(page).waitFor({ state: 'hidden' });
    await subscribers(1);
    client.publish('my.news', { told: 'afterwards' });
    await page.getByText('"told": "afterwards"').waitFor();
  });
});

t.test('what happened while the socket was dead is on the screen afterwards', async (t) => {
  const relay = await socketRelay(t, baseUrl);
  await inWindow(t, { baseUrl: relay.baseUrl, allowed: /WebSocket/ }, async (page) => {
    await enter(page, relay.baseUrl, 'apps');
    await page.getByRole('row', { name: 'running' }).waitFor();
    await live(page).waitFor({ state: 'attached' });
    relay.cut();
    await offline(page).waitFor();
    const appid = await runningId();
    await client.killApplication({ params: { appid } });
    await until(
      () => client.getApplication({ params: { appid } }),
      ({ state }) => state === 'KILLED',
    );
    t.equal(await page.getByRole('row', { name: 'running' }).count(), 1, 'nobody could tell');
    relay.mend();
    await page.getByRole('row', { name: 'killed' }).waitFor();
    await client.restartApplication({ params: { appid }, body: {} });
    await page.getByRole('row', { name: 'running' }).waitFor();
  });
});

t.test(
  'a session that is ended elsewhere is told while one only looks; what is typed stays, and the place',
  (t) =>
    inWindow(t, { baseUrl, allowed: /^401 |WebSocket/ }, async (page) => {
      await enter(page, baseUrl, 'alerts', vera);
      await page.getByRole('button', { name: 'New alert' }).first().click();
      await page.getByLabel('Name').fill('typed before the end');
      await page.getByRole('textbox', { name: 'Condition' }).click();
      await page.keyboard.type('true');
      await writeMail(page);
      const place = page.url();

      const elsewhere = createClient({ baseUrl });
      await elsewhere.login({ body: vera });
      const { sessions } = await elsewhere.listOwnSessions();
      for (const { id, isCurrent } of sessions)
        if (!isCurrent) await elsewhere.endSession({ params: { id } });
      await ended(page).waitFor();
      await ended(page).getByText('What you have typed is still here').waitFor();
      await logInAgain(page, vera);
      t.equal(page.url(), place);
      t.equal(await page.getByLabel('Name').inputValue(), 'typed before the end');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.waitForURL(/\/console\/alerts$/);
      const { alerts } = await client.listAlerts();
      t.match(
        alerts.find(({ name }) => name === 'typed before the end'),
        { condition: 'true' },
      );
    }),
);

t.test('whoever reloads after the end logs in and is back where they were, with what they typed', (t) =>
  inWindow(t, { baseUrl, allowed: /^401 |WebSocket/ }, async (page) => {
    await enter(page, baseUrl, 'alerts/edit', vera);
    await page.getByLabel('Name').fill('typed before the reload');
    const place = page.url();
    await client.changeUser({ params: { user: vera.userName }, body: { newPassword: 'another of hers' } });
    vera.password = 'another of hers';
    await ended(page).waitFor();
    await page.reload();
    await page.waitForURL(/\/login\?returnTo=/);
    await page.getByLabel('User name').fill(vera.userName);
    await page.getByLabel('Password').first().fill(vera.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL(place);
    // Until the screen is loaded the form of the login stands there, with a name of its own.
    await page.getByRole('button', { name: 'Log in' }).waitFor({ state: 'hidden' });
    t.equal(await page.getByLabel('Name').inputValue(), 'typed before the reload');
  }),
);

t.test('a right that is taken away while one looks disables what needs it, and says why', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    // Rights are asked for now and then: the test does not wait for that, the clock of the page goes on.
    await page.clock.install();
    await enter(page, baseUrl, 'apps', vera);
    await page.getByRole('button', { name: 'Actions of Access log' }).first().click();
    const kill = page.getByRole('menuitem', { name: 'Kill' });
    await kill.waitFor();
    t.equal(await kill.getAttribute('aria-disabled'), null);
    await allow(all.filter((one) => one !== 'MANAGE_OTHER_USERS_APPS'));
    await page.clock.fastForward(31_000);
    await page.getByRole('menuitem', { name: 'Kill', disabled: true }).waitFor();
    t.match(await kill.getAttribute('aria-description'), /shared with you for reading only/);
    await allow(all);
    await page.clock.fastForward(31_000);
    await page.getByRole('menuitem', { name: 'Kill', disabled: false }).waitFor();
  }),
);

t.test(
  'what is refused since a right is gone says so, keeps what is typed, and is disabled from then on',
  (t) =>
    inWindow(t, { baseUrl, allowed: /^403 / }, async (page) => {
      await enter(page, baseUrl, 'alerts/edit', vera);
      await page.getByLabel('Name').fill('too late');
      await page.getByRole('textbox', { name: 'Condition' }).click();
      await page.keyboard.type('false');
      await writeMail(page);
      const save = page.getByRole('button', { name: 'Save' });
      await page.getByRole('button', { name: 'Save', disabled: false }).waitFor();
      await allow(all.filter((one) => one !== 'MANAGE_SYSTEM_ALERTS'));
      await save.click();
      await page.getByRole('alert').getByText('You may not see or do this').first().waitFor();
      await page.getByRole('button', { name: 'Save', disabled: true }).waitFor();
      t.match(await save.getAttribute('aria-description'), /MANAGE_SYSTEM_ALERTS/);
      t.equal(await page.getByLabel('Name').inputValue(), 'too late');
      t.notOk((await client.listAlerts()).alerts.some(({ name }) => name === 'too late'));
      await allow(all);
    }),
);

t.test('a topic that is refused from now on tells that a right is gone', (t) =>
  inWindow(t, { baseUrl, allowed: /^403 / }, async (page) => {
    await enter(page, baseUrl, 'apps', vera);
    await page.getByRole('link', { name: 'Access log' }).first().waitFor();
    await page.getByRole('link', { name: 'Cluster' }).click();
    await page.getByRole('heading', { level: 1, name: 'Cluster' }).waitFor();
    await allow(all.filter((one) => one !== 'VIEW_GLOBAL_CONFIG'));
    await page.getByText('You may not see or do this').first().waitFor();
    await allow(all);
  }),
);

/** Each title is one of its own, so that nobody takes one for another. Not all can be brought about at will, so a part of the way answers. */
const refusals: readonly (readonly [status: number, code: string, title: string])[] = [
  [403, 'FORBIDDEN', 'You may not see or do this'],
  [404, 'NOT_FOUND', 'Not there'],
  [409, 'CONFLICT', 'Not as things are now'],
  [412, 'PRECONDITION_FAILED', 'Somebody has changed it meanwhile'],
  [413, 'TOO_LARGE', 'Too large'],
  [429, 'TOO_MANY_REQUESTS', 'Too much at once'],
  [501, 'NOT_SUPPORTED', 'This cluster can’t do that'],
  [502, 'UNUSABLE_ANSWER', 'What is behind the gateway does not answer'],
  [503, 'NOT_READY', 'Not there yet'],
];

t.test('each refusal is told in words, with the sentence of the gateway, and is over when it is', (t) =>
  inWindow(t, { baseUrl, allowed: /^(40[349]|41[23]|429|50[1-3]) / }, async (page) => {
    await enter(page, baseUrl, 'apps');
    const list = /\/ws\/v2\/auth\/roles$/;
    for (const [status, code, title] of refusals) {
      const message = `The list is refused with ${status}`;
      const json = { message, code, requestId: `of-${status}` };
      const headers = { 'x-request-id': json.requestId };
      await page.route(list, (route) => route.fulfill({ status, headers, json }));
      await page.goto(`${baseUrl}/console/admin/roles`);
      const alert = page.getByRole('alert').filter({ hasText: title });
      await alert.getByText(message).waitFor();
      await alert.getByRole('button', { name: `Request of-${status}` }).waitFor();
      await page.unroute(list);
      // The page reads anew by itself, too, when its socket opens.
      const isGone = alert.waitFor({ state: 'hidden' });
      await Promise.race([alert.getByRole('button', { name: 'Try again' }).click(), isGone]);
      await isGone;
      t.pass(`${status} is told, and gone`);
    }
  }),
);

t.test(
  'a gateway that is killed is told; when it is back a login is asked for, and what was typed is there',
  (t) =>
    inWindow(t, { baseUrl, allowed: /^401 |^50[23] |WebSocket/ }, async (page) => {
      await enter(page, baseUrl, 'admin/users');
      await page.getByRole('button', { name: 'Create a user' }).click();
      const form = page.getByRole('dialog', { name: 'Create a user' });
      await form.getByLabel('User name').fill('ana');
      await form.getByLabel('Password').first().fill('a word of her own');
      await server.kill();
      await offline(page).waitFor();
      await form.getByRole('button', { name: 'Create', exact: true }).click();
      await form.getByText('The gateway does not answer').waitFor();
      await server.startAgain();
      await ended(page).waitFor();
      await logInAgain(page, administrator);
      await offline(page).waitFor({ state: 'hidden' });
      t.equal(await form.getByLabel('User name').inputValue(), 'ana');
      await form.getByRole('button', { name: 'Create', exact: true }).click();
      await form.waitFor({ state: 'hidden' });
      await page.getByRole('cell', { name: 'ana', exact: true }).waitFor();
      await client.login({ body: administrator });
      t.match(await client.getUser({ params: { user: 'ana' } }), { userName: 'ana' });
    }),
);
