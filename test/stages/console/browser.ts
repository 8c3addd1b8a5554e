import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Test } from 'tap';
import { administrator } from './running-server.js';

/** Chromium's engine alone, without what draws windows, for two thirds of the processor's time; and the whole browser. */
type Program = 'chromium-headless-shell' | 'chromium';

const browsers = new Map<Program, Promise<Browser>>();

function launched(program: Program): Promise<Browser> {
  const browser =
    browsers.get(program) ??
    chromium.launch({ executablePath: `/usr/bin/${program}`, args: ['--no-sandbox'] });
  browsers.set(program, browser);
  return browser;
}

/** Once, when all tests of a file are over. */
export async function closeBrowser(): Promise<void> {
  for (const browser of browsers.values()) await (await browser).close();
  browsers.clear();
}

export interface View {
  /** Of the server. */
  readonly baseUrl: string;
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
  /** Default: the engine alone. */
  readonly program?: Program;
  /** What this test has asked for, of what would be a mistake otherwise. */
  readonly allowed?: RegExp;
}

/**
 * Acts in a window with cookies of its own. Then the test fails for what a careful user would find in the browser's console: errors,
 * violations of the policy, calls to another origin, answers of 400 and above.
 */
export async function inWindow(
  t: Pick<Test, 'strictSame' | 'comment'>,
  { baseUrl, scheme = 'light', width = 1280, program = 'chromium-headless-shell', allowed = /(?!)/ }: View,
  act: (page: Page) => Promise<unknown>,
): Promise<void> {
  const context = await (await launched(program)).newContext({
    colorScheme: scheme,
    viewport: { width, height: 800 },
    reducedMotion: 'reduce',
    ignoreHTTPSErrors: true,
  });
  try {
    // One generous limit for whatever is waited for: the machine may be busy.
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    const found = watched(page, new URL(baseUrl).origin);
    try {
      await act(page);
    } catch (error) {
      // What was on the screen tells why it was waited for in vain.
      const screen = `${page.url()}\n${await page.locator('body').innerText()}`;
      t.comment(screen.replaceAll(/^/gm, '| '));
      throw error;
    }
    t.strictSame(
      found.filter((line) => !allowed.test(line)),
      [],
      'nothing in the browser’s console',
    );
  } finally {
    await context.close();
  }
}

/** Whether somebody is logged in only a call can tell, and the browser notes its refusal. */
const expected = /^401 \S+\/ws\/v2\/profile\/user$/;

function watched(page: Page, origin: string): string[] {
  const found: string[] = [];
  const note = (line: string) => {
    if (!expected.test(line)) found.push(line);
  };
  page.on('console', (message) => {
    // Of an answer the line below tells more.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      note(message.text());
  });
  page.on('pageerror', (error) => note(String(error.stack)));
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:' && asked !== origin) note(`call to ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) note(`${response.status()} ${response.url()}`);
  });
  return found;
}

/** At a screen, by its link, as the administrator: through the login, as whoever follows a link from a chat. */
export async function enter(page: Page, baseUrl: string, link: string, user = administrator): Promise<void> {
  await page.goto(`${baseUrl}/console/${link}`);
  await page.getByLabel('User name').fill(user.userName);
  await page.getByLabel('Password').first().fill(user.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL((url) => !url.pathname.endsWith('/login'));
  // The form stands until the screen behind it is loaded, and has fields of the same names as some of them.
  await page.getByRole('button', { name: 'Log in' }).waitFor({ state: 'hidden' });
  await page.getByRole('heading', { level: 1 }).first().waitFor();
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe finds: a line each, empty when all is well. The policy lets no script be added, so it is evaluated. A tooltip, which is there as long
 * as the pointer happens to be, belongs to what it describes: it alone need not be in a landmark.
 */
export async function inaccessible(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  return page.evaluate(
    `axe.run(document, { resultTypes: ['violations'], elementRef: true }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.filter(({ element }) => id !== 'region' || !element.closest('[role=tooltip]')).map(({ target, failureSummary }) =>
        id + ' ' + target.join(' ') + ' ' + failureSummary)))`,
  );
}
