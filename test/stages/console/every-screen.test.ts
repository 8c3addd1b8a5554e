import t from 'tap';
import { until } from '../../helpers/waiting.js';
import { closeBrowser, enter, inaccessible, inWindow } from './browser.js';
import { furnish } from './furnished.js';
import { runningServer } from './running-server.js';
import { walk } from './walk.js';

// Every screen that a link leads to, found by following them: so that one that is added is looked at too.

const { baseUrl, client } = await runningServer(t);
t.teardown(closeBrowser);

// Something of each kind, so that there is a link to it.
await furnish(client);
const { apps } = await until(
  () => client.listApplications({ query: { states: 'RUNNING' } }),
  (list) => list.apps.length === 1,
);
const params = { appid: apps[0]?.id ?? '' };
await until(
  () => client.listPhysicalOperators({ params }),
  ({ operators }) => operators.every(({ status }) => status === 'ACTIVE'),
);
await client.startOperatorRecording({ params: { ...params, opid: '1' } });

/** No mail server is set, and a call alone can tell. */
const unset = /^404 \S+\/ws\/v2\/config\/smtp$/;

for (const { scheme, width } of [
  { scheme: 'light', width: 375 },
  { scheme: 'dark', width: 1280 },
] as const)
  t.test(`is accessible, ${scheme}, ${width} px`, (t) =>
    inWindow(t, { baseUrl, scheme, width, allowed: unset }, async (page) => {
      await enter(page, baseUrl, '');
      const look = async (kind: string) => t.strictSame(await inaccessible(page), [], kind);
      const screens = await walk(t, page, { baseUrl, first: '', within: '', look });
      t.ok(screens.length > 35, `${screens.length} screens`);
      // Its link stands in a menu that is closed.
      await walk(t, page, { baseUrl, first: 'profile', within: 'profile', look });
    }),
  );
