import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConsolePages } from 'headgate';
import { readOptions } from 'headgate/driver-kit';
import { createFiles } from './server/files.js';
import { type ConsoleOptions, consoleOptions } from './server/options.js';
import { createPage } from './server/page.js';

export type { ConsoleLink, ConsoleOptions } from './server/options.js';

/** What `npm run build` made of `src/`. */
const built = fileURLToPath(new URL('./pages/', import.meta.url));

/**
 * The console, for the option `console` of `createGateway`: it is served at `/console/` below the gateway's prefix, on every host.
 *
 * ```js
 * const gateway = await createGateway({ storage, cluster, auth, console: streamConsole({ title: 'Acme Streams' }) });
 * ```
 *
 * It uses the public API alone, by the login of whoever looks. Throws a `TypeError` for an option that can't be used, and an `Error`
 * where its pages are not beside it, as in a bundle of the host.
 */
export function streamConsole(given: ConsoleOptions = {}): ConsolePages {
  const options = readOptions('streamConsole', given, consoleOptions);
  if (!existsSync(join(built, 'index.html')))
    throw new Error(
      `@headgate/console: there are no pages in ${built}. A bundle of the host leaves this package outside, in node_modules`,
    );
  const files = createFiles(built);
  const page = createPage(options, built);
  return {
    async answer({ path, headers }) {
      if (path.startsWith('assets/')) return files.answer(path, headers);
      return page.answer(path);
    },
  };
}
