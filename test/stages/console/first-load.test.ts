import type { CDPSession, Page } from 'playwright-core';
import t from 'tap';
import { until } from '../../helpers/waiting.js';
import { closeBrowser, enter, inWindow } from './browser.js';
import { administrator, runningServer } from './running-server.js';

const { baseUrl, client } = await runningServer(t);
t.teardown(closeBrowser);

/** Bytes on the wire until a screen can be used, heads of answers among them. */
const budget = 250_000;

t.test('the login and then the first screen work within the budget of a first visit', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    const received = await wire(page);
    await page.goto(`${baseUrl}/console/`);
    await page.getByLabel('User name').fill(administrator.userName);
    await page.getByLabel('Password').first().fill(administrator.password);
    await received.settled();
    const atLogin = received.total();
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('link', { name: 'Access log' }).waitFor();
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor({ state: 'attached' });
    await received.settled();
    t.comment(`login ${atLogin} bytes, applications ${received.total()} bytes; the largest:`);
    for (const line of received.largest(8)) t.comment(line);
    t.ok(atLogin > 50_000, 'it was counted');
    t.ok(atLogin < budget, `the login took ${atLogin} bytes`);
    t.ok(received.total() < budget, `until the applications were there it took ${received.total()} bytes`);
  }),
);

t.test('a line of the menu looks the same on every screen, whichever styles came with it', (t) =>
  inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, 'apps');
    const look = async () => {
      const line = page.getByRole('navigation').getByRole('link', { name: 'Packages' });
      await line.waitFor();
      return page.evaluate(`(() => {
        const line = document.querySelector('nav a[href$="/packages"]');
        const { padding, fontSize, color } = getComputedStyle(line);
        return [padding, fontSize, color, line.getBoundingClientRect().height + ' px high'].join(', ');
      })()`);
    };
    const first = await look();
    t.match(first, /, [34]\d\S* px high$/);
    const [app] = (await client.listApplications({ query: { states: 'RUNNING' } })).apps;
    for (const link of [`apps/${app?.id}`, `apps/${app?.id}/graph`, 'alerts/edit', 'cluster', 'profile']) {
      await page.goto(`${baseUrl}/console/${link}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      t.strictSame(await look(), first, link);
    }
  }),
);

interface Wire {
  total(): number;
  largest(count: number): readonly string[];
  /** Resolves when no answer is on its way. */
  settled(): Promise<unknown>;
}

/** What the browser's own protocol says that came, as it came: compressed. */
async function wire(page: Page): Promise<Wire> {
  const protocol: CDPSession = await page.context().newCDPSession(page);
  const urls = new Map<string, string>();
  const bytes = new Map<string, number>();
  protocol.on('Network.requestWillBeSent', ({ requestId, request }) => urls.set(requestId, request.url));
  protocol.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
    bytes.set(requestId, encodedDataLength),
  );
  protocol.on('Network.loadingFailed', ({ requestId }) => bytes.set(requestId, bytes.get(requestId) ?? 0));
  await protocol.send('Network.enable');
  const total = () => [...bytes.values()].reduce((sum, one) => sum + one, 0);
  return {
    total,
    largest: (count) =>
      [...bytes]
        .sort(([, one], [, other]) => other - one)
        .slice(0, count)
        .map(([id, size]) => `${size} ${urls.get(id)}`),
    settled: () =>
      until(
        () => [...urls.keys()].filter((id) => !bytes.has(id)),
        (waiting) => waiting.length === 0,
      ),
  };
}
