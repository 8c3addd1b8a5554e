import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Browser, chromium } from 'playwright-core';
import t from 'tap';
import { WebSocket } from 'ws';
import { run, start } from '../../helpers/processes.js';
import { snippetsOf } from '../../helpers/snippets.js';
import { packInto } from '../../helpers/tarballs.js';

// The desktop example, installed against the packed tarball, with a real window on a screen of its own.

const root = join(import.meta.dirname, '../../../..');
const scratch = mkdtempSync(join(tmpdir(), 'headgate-desktop-'));
t.teardown(() => rmSync(scratch, { recursive: true, force: true }));
const folder = join(scratch, 'examples/desktop');
cpSync(join(root, 'examples/desktop'), folder, {
  recursive: true,
  filter: (path) => !path.includes('node_modules'),
});
cpSync(join(root, '.npmrc'), join(folder, '.npmrc'));
await packInto(scratch);
const [steps] = snippetsOf(join(folder, 'README.md')).filter(({ attributes }) => 'run' in attributes);
await run('npm', ['install', '--loglevel=error'], { cwd: folder });

/** What the example starts with, on a screen that only this test has. */
function opened(data: string) {
  return start('xvfb-run', ['-a', process.execPath, 'main.js'], {
    cwd: folder,
    env: { DATA: data, BROWSER_ARGUMENTS: '--no-sandbox --remote-debugging-port=0' },
  });
}

/** The browser of the window, once it tells where it listens. */
async function attached(data: string): Promise<Browser> {
  const file = join(data, 'window/DevToolsActivePort');
  while (!existsSync(file) || !/^\d+\n/.test(readFileSync(file, 'utf8'))) await delay(50);
  const [port] = readFileSync(file, 'utf8').split('\n');
  return chromium.connectOverCDP(`http://127.0.0.1:${port}`);
}

t.test('a window shows what runs; nobody else gets in; closing it stops everything', async (t) => {
  t.equal(steps?.text, 'npm install\nnpm start\n', 'the page says what is done here');
  const data = join(scratch, 'data');
  const program = opened(data);
  t.teardown(() => program.stop('SIGKILL'));
  await program.printed(/the window is open/);
  const browser = await attached(data);
  const [context] = browser.contexts();
  const page = context?.pages()[0] ?? (await context?.waitForEvent('page'));
  if (!page) throw new Error('The browser has no window');
  await page.getByText(/\d+ of \d+ MB in use/).waitFor();
  await page.getByText('Memory: RUNNING').waitFor();
  const picture = await page.screenshot();
  t.ok(picture.length > 5000, 'there is something to see');

  const address = new URL(page.url());
  t.equal(address.search, '', 'the token is gone from the address');
  t.equal((await fetch(address)).status, 401);
  t.equal((await fetch(new URL('?token=guess', address))).status, 401);
  t.equal((await fetch(new URL('ws/v2/applications', address))).status, 401);
  const socket = new WebSocket(new URL('pubsub', address.href.replace('http', 'ws')));
  const refused = new Promise((resolve) => {
    socket
      .once('unexpected-response', (_request, response) => resolve(response.statusCode))
      .once('error', resolve);
  });
  t.equal(await refused, 401);

  await page.close();
  t.equal(await program.exited, 0);
  t.match(program.output(), /everything has stopped/);
  await t.rejects(fetch(address), 'nobody listens any more');
});

t.test('a second start finds what the first one kept', async (t) => {
  const data = join(scratch, 'data');
  rmSync(join(data, 'window/DevToolsActivePort'), { force: true });
  const program = opened(data);
  t.teardown(() => program.stop('SIGKILL'));
  const browser = await attached(data);
  const [context] = browser.contexts();
  const page = context?.pages()[0] ?? (await context?.waitForEvent('page'));
  if (!page) throw new Error('The browser has no window');
  await page.getByText('Memory: RUNNING').waitFor();
  const states = await page.evaluate<string[]>(
    `fetch('/ws/v2/applications').then((answer) => answer.json()).then(({ apps }) => apps.map(({ state }) => state))`,
  );
  t.strictSame([...states].sort(), ['FAILED', 'RUNNING'], 'the first one ended with its app');
  await page.close();
  t.equal(await program.exited, 0);
});
