import type { Server } from 'node:http';
import type { Gateway } from '../../lib/index.js';
import { type MountOptions, mountedAt, requireServer } from './mount.js';
import { type HttpHandler, handlerAt } from './node-handler.js';
import { requestsInFront } from './server-front.js';

export type { MountOptions } from './mount.js';
export type { HttpHandler } from './node-handler.js';
export { attachWebSocket, type WebSocketOptions } from './ws.js';

/**
 * The gateway in a server of plain Node. A whole host:
 *
 * ```js
 * import { createServer } from 'node:http';
 * import { createGateway } from 'headgate';
 * import { localCluster } from '@headgate/engine';
 * import { httpHandler } from 'headgate/http';
 * import { memoryStorage } from 'headgate/storage/memory';
 *
 * const cluster = localCluster({ directory: './data' });
 * const gateway = await createGateway({ storage: memoryStorage(), cluster, auth: 'none' });
 * const handle = httpHandler(gateway, { prefix: '/streams' });
 *
 * const server = createServer(async (req, res) => {
 *   if (await handle(req, res)) return;
 *   res.writeHead(404).end('Nothing here\n');
 * });
 * server.listen(9090, '127.0.0.1');
 * ```
 *
 * Bodies are read by the gateway, after it knows who is calling. If the host has read one before, what its parser left
 * in `req.body` is used; an upload that somebody has read already is refused with a sentence that says so.
 */
export function httpHandler(gateway: Gateway, options: MountOptions = {}): HttpHandler {
  return handlerAt(mountedAt('httpHandler', gateway, options), gateway);
}

/**
 * Takes the gateway's URLs on a server of any framework before the framework sees them. Express alone costs five times
 * what the gateway does; this way only its own routes pay for it. The host's middleware (sessions, logs, compression)
 * does not run for the gateway's URLs: the authenticator reads the request itself.
 *
 * ```js
 * import express from 'express';
 * import { createGateway } from 'headgate';
 * import { localCluster } from '@headgate/engine';
 * import { inFrontOf } from 'headgate/http';
 * import { memoryStorage } from 'headgate/storage/memory';
 *
 * const cluster = localCluster({ directory: './data' });
 * const gateway = await createGateway({ storage: memoryStorage(), cluster, auth: 'none' });
 * const app = express();
 * app.get('/', (req, res) => res.send('The host is still there\n'));
 * inFrontOf(app.listen(9090, '127.0.0.1'), gateway, { prefix: '/streams' });
 * ```
 *
 * Request listeners that the host adds later are behind the gateway too. The returned function detaches it.
 */
export function inFrontOf(server: Server, gateway: Gateway, options: MountOptions = {}): () => void {
  requireServer('inFrontOf', server);
  return requestsInFront(server, handlerAt(mountedAt('inFrontOf', gateway, options), gateway));
}
