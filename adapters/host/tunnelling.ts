import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import { type Duplex, pipeline, Readable } from 'node:stream';
import { owned } from '../../lib/driver-kit.js';
import type { Gateway, GatewayResponse } from '../../lib/index.js';
import { normalPrefix, urlBelow } from './mount.js';
import { refusing } from './refused-upgrade.js';

/** WebSockets that the gateway passes on to others. */
interface Tunnelling {
  owns(request: IncomingMessage): boolean;
  join(request: IncomingMessage, socket: Duplex, head: Buffer, isOurs: () => boolean): Promise<void>;
  /** Ends those that are open. */
  close(): void;
}

export function createTunnelling(
  { handle, ownsUpgrade }: Partial<Pick<Gateway, 'handle' | 'ownsUpgrade'>>,
  prefix: string,
): Tunnelling {
  const below = urlBelow(normalPrefix(prefix));
  const open = new Set<Duplex>();
  const urlOf = (request: IncomingMessage): string => below(request.url ?? '') ?? '';

  return {
    owns: (request) => handle !== undefined && (ownsUpgrade?.(urlOf(request)) ?? false),
    async join(request, socket, head, isOurs) {
      if (!isPlain(request)) {
        answer(socket, { status: 400, headers: refusing, body: '' }, head);
        return;
      }
      const gone = new AbortController();
      socket.once('close', () => gone.abort());
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      const response = await handle?.({
        method: request.method ?? 'GET',
        url: urlOf(request),
        prefix: normalPrefix(prefix),
        isSecure: 'encrypted' in request.socket,
        headers: request.headers,
        remoteAddress: request.socket.remoteAddress ?? '',
        body: owned(Readable.from([])),
        raw: request,
        isUpgrade: /^websocket$/i.test(request.headers.upgrade ?? ''),
        signal: gone.signal,
      });
      if (response && !socket.destroyed && isOurs()) answer(socket, response, head);
      else {
        endOf(response);
        socket.destroy();
      }
    },
    close() {
      for (const socket of open) socket.destroy();
    },
  };
}

/** Nobody reads a body here, and what is not read must not be taken for the next request. */
const isPlain = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers['transfer-encoding'] === undefined && !Number(headers['content-length'] ?? 0);

function answer(socket: Duplex, { status, headers, body, tunnel }: GatewayResponse, head: Buffer): void {
  const closing = tunnel ? {} : { connection: 'close' };
  const text =
    typeof body === 'string' && !tunnel ? { 'content-length': String(Buffer.byteLength(body)) } : {};
  const lines = Object.entries({ ...headers, ...closing, ...text })
    .flatMap(([name, value]) => (Array.isArray(value) ? value.map((one) => [name, one]) : [[name, value]]))
    .map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`, 'latin1');
  // One that breaks takes the other along; whose fault it was, the two know.
  const done = () => {};
  if (tunnel) {
    // Nobody else would notice a client that has vanished.
    if (socket instanceof Socket) socket.setKeepAlive(true, 30_000);
    if (head.length > 0) tunnel.write(head);
    pipeline(socket, tunnel, done);
    pipeline(tunnel, socket, done);
  } else if (typeof body === 'string') socket.end(body, () => socket.destroy());
  else pipeline(body, socket, done);
}

/** Of an answer that nobody waits for any more. */
function endOf(response: GatewayResponse | undefined): void {
  response?.tunnel?.destroy();
  if (response && typeof response.body !== 'string') response.body.destroy();
}
