import { spawn } from 'node:child_process';

/** `BROWSER`: any Chromium. `BROWSER_ARGUMENTS`: more of its arguments, separated by blanks. */
const { BROWSER = 'chromium', BROWSER_ARGUMENTS = '' } = process.env;

/** A window that shows one page. Its profile is its own, so that closing it ends the browser. */
export function openWindow(url, profile) {
  const more = BROWSER_ARGUMENTS.split(' ').filter(Boolean);
  const browser = spawn(BROWSER, [`--app=${url}`, `--user-data-dir=${profile}`, '--no-first-run', ...more], {
    stdio: 'ignore',
  });
  const closed = new Promise((resolve) => {
    browser.once('close', resolve).once('error', (error) => {
      console.error(`No window: ${error.message}. Set BROWSER to a Chromium.`);
      resolve();
    });
  });
  return { closed, close: () => browser.kill() };
}
