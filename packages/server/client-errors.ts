import { randomUUID } from 'node:crypto';
import { type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

// What Node refuses before any listener sees it: requests that are none, headers that are too large or too slow. Without
// this they are answered with an empty body, or with a reset connection.

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'HEADERS_TOO_LARGE',
    message: 'The address and the headers of a request may have 16 KiB together (--max-http-header-size)',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'REQUEST_TIMED_OUT',
    message: 'The request did not come whole in time',
  },
};

const malformed: Refusal = {
  status: 400,
  code: 'MALFORMED_REQUEST',
  message: 'This is no request of HTTP/1.1',
};

/** How long a refused client may take to read the answer and to end its side. */
const farewellMs = 5_000;

/** Lets a server answer what it can't read in the form of the gateway's own errors. */
export function answerUnreadable(server: Server): void {
  const answering = new WeakMap<Duplex, number>();
  const refused = new WeakSet<Duplex>();
  server.on('request', ({ socket }, response) => {
    answering.set(socket, (answering.get(socket) ?? 0) + 1);
    response.once('close', () => answering.set(socket, (answering.get(socket) ?? 1) - 1));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Each further piece of what was refused is an error again. A reset now would take the answer from the client.
    if (refused.has(socket) && error.code !== 'ECONNRESET') return;
    // The client is gone, or an answer is on its way already: another one would be taken for a part of it.
    if (error.code === 'ECONNRESET' || !socket.writable || (answering.get(socket) ?? 0) > 0) {
      socket.destroy();
      return;
    }
    refused.add(socket);
    refuse(socket, refusals[error.code ?? ''] ?? malformed);
  });
}

function refuse(socket: Duplex, { status, code, message }: Refusal): void {
  const body = JSON.stringify({ message, code, requestId: randomUUID() });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  const farewell = setTimeout(() => socket.destroy(), farewellMs);
  socket.once('close', () => clearTimeout(farewell));
}
