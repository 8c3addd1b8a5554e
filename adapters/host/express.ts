import type { Gateway } from '../../lib/index.js';
import { type MountOptions, mountedAt } from './mount.js';
import { type HttpHandler, handlerAt } from './node-handler.js';

export type { MountOptions } from './mount.js';
export { attachWebSocket, type WebSocketOptions } from './ws.js';

/** Fits `app.use` of Express 4 and 5, and everything else that takes `(req, res, next)`. */
export type ExpressMiddleware = HttpHandler;

/**
 * The gateway in an Express host, 4 or 5. A whole host:
 *
 * ```js
 * import express from 'express';
 * import { createGateway } from 'headgate';
 * import { localCluster } from '@headgate/engine';
 * import { expressMiddleware } from 'headgate/express';
 * import { memoryStorage } from 'headgate/storage/memory';
 *
 * const cluster = localCluster({ directory: './data' });
 * const gateway = await createGateway({ storage: memoryStorage(), cluster, auth: 'none' });
 * const app = express();
 * app.use('/streams', expressMiddleware(gateway));
 * app.use(express.json());
 * app.get('/', (req, res) => res.send('The host is still there\n'));
 * app.listen(9090, '127.0.0.1');
 * ```
 *
 * Mount it behind the host's session middleware and, better, before its body parsers: then the gateway's own limits and
 * messages hold, and uploads of any content type pass. Behind `express.json()` it works too; only what a parser has
 * swallowed (a package sent as `application/json`) is refused. `app.use` takes the path it is mounted at off the URL, so
 * `prefix` is for an application that mounts the gateway at its root.
 *
 * Express costs several times what the gateway does: `inFrontOf` of `headgate/http` serves the gateway's URLs before it.
 */
export const expressMiddleware = (gateway: Gateway, options: MountOptions = {}): ExpressMiddleware =>
  handlerAt(mountedAt('expressMiddleware', gateway, options), gateway);
