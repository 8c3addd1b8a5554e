// What each server's clients say, as frames. All speak WebSocket, so raw sockets that count bytes will do.

export interface Dialect {
  /** Path of the handshake. */
  readonly path: string;
  /** Sent once, before anything else. */
  readonly hello: readonly string[];
  subscribe(topic: string, id: number): string;
  publish(topic: string, data: string): string;
  /** Tells that hello was understood: nothing else is sent before this text came. Default: at once. */
  readonly ready?: string;
}

const ours: Dialect = {
  path: '/pubsub',
  hello: [],
  subscribe: (topic) => `{"type":"subscribe","topic":"${topic}"}`,
  publish: (topic, data) => `{"type":"publish","topic":"${topic}","data":${data}}`,
};

const socketIo: Dialect = {
  path: '/socket.io/?EIO=4&transport=websocket',
  hello: ['40'],
  ready: '40{',
  subscribe: (topic) => `42["subscribe","${topic}"]`,
  publish: (topic, data) => `42["publish","${topic}",${data}]`,
};

const nats: Dialect = {
  path: '/',
  hello: ['CONNECT {"verbose":false,"pedantic":false}\r\n'],
  subscribe: (topic, id) => `SUB ${topic} ${id}\r\n`,
  publish: (topic, data) => `PUB ${topic} ${data.length}\r\n${data}\r\n`,
};

export type Kind =
  | 'headgate'
  | 'gateway'
  | 'limit'
  | 'checked'
  | 'handles'
  | 'unjoined'
  | 'stringify'
  | 'socket.io'
  | 'nats';

export const dialectOf = (kind: Kind): Dialect =>
  kind === 'socket.io' ? socketIo : kind === 'nats' ? nats : ours;

export const handshake = (path: string, port: number): string =>
  [
    `GET ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    '',
    '',
  ].join('\r\n');

/** A client's text frame. The mask is zero, so that masking costs the client nothing. */
export function clientFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const long = payload.length >= 126;
  const huge = payload.length >= 65_536;
  const header = Buffer.alloc((huge ? 10 : long ? 4 : 2) + 4);
  header[0] = 0x81;
  header[1] = 0x80 | (huge ? 127 : long ? 126 : payload.length);
  if (huge) header.writeBigUInt64BE(BigInt(payload.length), 2);
  else if (long) header.writeUInt16BE(payload.length, 2);
  return Buffer.concat([header, payload]);
}

/** JSON of so many bytes. */
export const dataOf = (bytes: number): string => `{"x":"${'d'.repeat(bytes - 8)}"}`;
