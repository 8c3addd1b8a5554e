import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

// What no well-behaved client would send.

export async function dial(baseUrl: string): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  // Being reset is an answer too.
  socket.on('error', () => {});
  return socket;
}

/** Everything that comes until the connection ends, as Latin-1. */
export async function toTheEnd(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // Not `once` of events: that rejects when the connection is reset.
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks).toString('latin1');
}

/** Sends one request as it stands, in Latin-1, and resolves the status and the body; status 0 is no answer. */
export async function rawExchange(
  baseUrl: string,
  line: string,
  headers: readonly string[] = [],
  body = '',
): Promise<{ status: number; text: string }> {
  const socket = await dial(baseUrl);
  const answered = toTheEnd(socket);
  // A stream of events has no end.
  socket.on('data', (chunk: Buffer) => {
    if (chunk.includes('content-type: text/event-stream')) socket.destroy();
  });
  const head = [`${line} HTTP/1.1`, 'host: localhost', 'connection: close', ...headers];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1');
  const answer = await answered;
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0),
    text: answer.slice(answer.indexOf('\r\n\r\n') + 4),
  };
}

/** A WebSocket after its handshake, to send any bytes on. */
export async function rawWebSocket(baseUrl: string, headers: readonly string[] = []): Promise<Socket> {
  const socket = await dial(baseUrl);
  const head = [
    'GET /pubsub?errors=true HTTP/1.1',
    `host: ${new URL(baseUrl).host}`,
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const [answer] = await once(socket, 'data');
  if (!String(answer).startsWith('HTTP/1.1 101')) throw new Error(String(answer));
  return socket;
}

/** A masked frame. `first`: its first byte, 0x81 for a whole text. `says`: the length that it claims. */
export function frame(first: number, payload: Buffer, says: number | bigint = payload.length): Buffer {
  const mask = Buffer.from([1, 2, 3, 4]);
  const masked = payload.map((byte, i) => byte ^ (mask[i % 4] ?? 0));
  const length = Buffer.alloc(says < 126 ? 1 : says < 65536 ? 3 : 9);
  if (length.length === 1) length[0] = Number(says) | 0x80;
  else if (length.length === 3) {
    length[0] = 126 | 0x80;
    length.writeUInt16BE(Number(says), 1);
  } else {
    length[0] = 127 | 0x80;
    length.writeBigUInt64BE(BigInt(says), 1);
  }
  return Buffer.concat([Buffer.from([first]), length, mask, masked]);
}
