import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { WebSocket } from 'ws';
import * as z from 'zod';
import { start } from '../../helpers/processes.js';

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
  Firefox: startFirefox,
};

const Answer = z.object({
  id: z.number().nullable().optional(),
  error: z.string().optional(),
  result: z.unknown(),
});
const Created = z.object({ userContext: z.string().default(''), context: z.string().default('') });
const Evaluated = z.object({
  type: z.literal('success'),
  result: z.object({ value: z.string().optional() }),
});

/** Debian's own, by WebDriver BiDi: Playwright asks for commands that it does not have yet. */
async function startFirefox(): Promise<TestBrowser> {
  const profile = mkdtempSync(join(tmpdir(), 'headgate-firefox-'));
  const words = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0'];
  const program = start('firefox-esr', words, { cwd: profile, env: { HOME: profile } });
  const [, address = ''] = await program.printed(/WebDriver BiDi listening on (ws:\S+)/);
  const socket = new WebSocket(`${address}/session`);
  await once(socket, 'open');
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  socket.on('message', (data) => {
    const text = data.toString();
    const { id, error, result } = Answer.parse(JSON.parse(text));
    const asked = waiting.get(id ?? 0);
    waiting.delete(id ?? 0);
    if (error === undefined) asked?.resolve(result);
    else asked?.reject(new Error(text));
  });
  let last = 0;
  const send = (method: string, params: object) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  await send('session.new', { capabilities: {} });
  return {
    async open(url) {
      const { userContext } = Created.parse(await send('browser.createUserContext', {}));
      const { context } = Created.parse(await send('browsingContext.create', { type: 'tab', userContext }));
      await send('browsingContext.navigate', { context, url, wait: 'complete' });
      return {
        async ask(expression) {
          const answer = await send('script.evaluate', {
            expression: `Promise.resolve(${expression}).then((value) => JSON.stringify(value))`,
            target: { context },
            awaitPromise: true,
          });
          const { value } = Evaluated.parse(answer).result;
          return value === undefined ? undefined : JSON.parse(value);
        },
      };
    },
    async close() {
      socket.terminate();
      await program.stop('SIGKILL');
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
