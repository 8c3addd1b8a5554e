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
 * import { createServer } from 'node:http';
 * import { streamConsole } from '@headgate/console';
 * import { localCluster } from '@headgate/engine';
 * import { createGateway } from 'headgate';
 * import { attachWebSocket, httpHandler } from 'headgate/http';
 * import { memoryStorage } from 'headgate/storage/memory';
 *
 * const gateway = await createGateway({
 *   storage: memoryStorage(),
 *   cluster: localCluster({ directory: './data' }),
 *   auth: 'none',
 *   console: streamConsole({ title: 'Acme Streams' }),
 * });
 * const handle = httpHandler(gateway, { prefix: '/streams' });
 * const server = createServer(async (req, res) => {
 *   if (await handle(req, res)) return;
 *   res.writeHead(404).end('Nothing here\n');
 * });
 * attachWebSocket(server, gateway, { prefix: '/streams' });
 * server.listen(9090, '127.0.0.1');
 * // http://127.0.0.1:9090/streams/console/
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
