import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';

/** A page in a browser, with cookies of its own. */
interface Page {
  /** What an expression becomes there, when it is JSON; waits for what is promised. */
  ask(expression: string): Promise<unknown>;
}

interface TestBrowser {
  open(url: string): Promise<Page>;
  close(): Promise<void>;
}

export const browsers: Readonly<Record<string, () => Promise<TestBrowser>>> = {
  Chromium: async () => {
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
    return {
      async open(url) {
        const context = await browser.newContext();
        const page = await context.newPage();
        await page.goto(url);
        return { ask: (expression) => page.evaluate(expression) };
      },
      close: () => browser.close(),
    };
  },
  // Playwright asks Debian's own for commands that it does not have yet.
  Firefox: async () => {
    const browser = await puppeteer.launch({ browser: 'firefox', executablePath: '/usr/bin/firefox-esr' });
    return {
      async open(url) {
        const context = await browser.createBrowserContext();
        const page = await context.newPage();
        await page.goto(url);
        return { ask: (expression) => page.evaluate(expression) };
      },
      close: () => browser.close(),
    };
  },
};
