import { createServer, type RequestListener, type Server } from 'node:http';
import { attachWebSocket } from '../../adapters/host/http.js';
import type { Gateway } from '../../lib/index.js';
import { hostAnswer, type RunningHost } from '../../packages/contracts/index.js';
import { listening } from './listening.js';

/** What a host of the host contract says to everything that is not the gateway's. */
export const notTheGateway: RequestListener = (_, res) => {
  res.writeHead(404, { 'x-host': 'yes' }).end(hostAnswer);
};

export const hostOf = (gateway: Gateway, listener: RequestListener, prefix = ''): Promise<RunningHost> =>
  hostOn(createServer(listener), gateway, prefix);

/** A host whose own WebSockets are elsewhere, so that upgrades of other paths are its business. */
export async function hostOn(
  server: Server,
  gateway: Gateway,
  prefix = '',
  attach: (server: Server, gateway: Gateway, where: { prefix: string }) => void = attachWebSocket,
): Promise<RunningHost> {
  attach(server, gateway, { prefix });
  server.on('upgrade', ({ url }, socket) => {
    if (url?.split('?', 1)[0] === `${prefix}/pubsub`) return;
    socket.on('error', () => {});
    socket.end(
      `HTTP/1.1 404 Not Found\r\nx-host: yes\r\nconnection: close\r\ncontent-length: ${hostAnswer.length}\r\n\r\n${hostAnswer}`,
    );
  });
  const { baseUrl, close } = await listening(server);
  return { baseUrl: baseUrl + prefix, close };
}
