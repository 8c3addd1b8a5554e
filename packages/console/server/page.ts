import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PageAnswer } from 'headgate';
import type { ConsoleOptions } from './options.js';
import { policyOfPage } from './policy.js';

interface Page {
  /** The one page of the console, for any path below it: what is shown there its own router knows. */
  answer(path: string): Promise<PageAnswer>;
}

/** Made for each request: the nonce is new each time, and its files are named from where the request lies. */
export function createPage(options: ConsoleOptions, folder: string): Page {
  const { frameAncestors, ...settings } = options;
  const shown = JSON.stringify(settings);
  let reading: Promise<string> | undefined;
  return {
    async answer(path) {
      reading ??= readFile(join(folder, 'index.html'), 'utf8');
      const nonce = randomBytes(18).toString('base64');
      const html = await reading;
      return {
        status: 200,
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-cache',
          'content-security-policy': policyOfPage({ nonce, frameAncestors }),
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'same-origin',
        },
        body: filled(html, { nonce, settings: shown, upwards: '../'.repeat(depthOf(path)) }),
      };
    },
  };
}

/** How many folders below `console/` a path lies. */
const depthOf = (path: string): number => path.split('/').length - 1;

/**
 * The page as it was built names its files `./assets/...`, and has two places to fill in. Neither prefix nor host need be known,
 * whatever proxies do to the path: all addresses are relative.
 */
export const filled = (
  html: string,
  {
    nonce,
    settings,
    upwards,
  }: { readonly nonce: string; readonly settings: string; readonly upwards: string },
): string =>
  html
    .replaceAll('"./assets/', `"${upwards === '' ? './' : upwards}assets/`)
    .replace('%NONCE%', () => nonce)
    .replace('%SETTINGS%', () => escaped(settings));

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
