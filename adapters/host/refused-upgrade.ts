import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Refused } from '../../lib/index.js';

/** Of answers that are nobody's but ours. */
export const refusing = { 'x-content-type-options': 'nosniff', 'x-frame-options': 'SAMEORIGIN' };

/** Answers an upgrade in place of the handshake, and ends the connection. */
export function refuseUpgrade(socket: Duplex, { status, headers, body }: Refused['refused']): void {
  const lines = Object.entries({
    ...headers,
    connection: 'close',
    'content-length': String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
}
