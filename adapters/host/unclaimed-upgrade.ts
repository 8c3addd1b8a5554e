import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { owned } from '../../lib/driver-kit.js';

/**
 * What Node does on a server that nobody listens to for upgrades: the request is answered as any other. With our listener
 * Node takes the socket out of its parser before anybody has looked at the path; programs that try HTTP/2 on each request
 * (`Upgrade: h2c`) would wait for ever. A body can't be had that way any more.
 */
export function answerAsRequest(
  server: Server | SecureServer,
  request: IncomingMessage,
  socket: Duplex,
): void {
  // Nobody else listens to it any more, and a reset would end the host's process.
  socket.on('error', () => {});
  if (!(socket instanceof Socket)) {
    socket.destroy();
    return;
  }
  const response = owned(new ServerResponse(request));
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => {
    response.detachSocket(socket);
    socket.destroySoon();
  });
  // Else nobody would see a client hang up.
  socket.resume();
  if (hasBody(request))
    response.writeHead(400).end('Send a request with a body without the header Upgrade\n');
  else server.emit('request', request, response);
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
