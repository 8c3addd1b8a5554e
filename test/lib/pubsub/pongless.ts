import type { Socket } from 'node:net';
import { dial, frame } from '../../helpers/raw.js';

/** A WebSocket as the engine's client is one: it reads pings and answers none. RFC 6455 by hand, for no library is like that. */
export interface Pongless {
  readonly texts: readonly string[];
  readonly pings: number;
  /** Milliseconds from the handshake to the end, which is nobody's wish here; `undefined` while it is open. */
  readonly endedAfter: number | undefined;
  say(message: object): void;
  end(): void;
}

const opcodes = { text: 1, close: 8, ping: 9 };

export async function pongless(baseUrl: string, headers: readonly string[]): Promise<Pongless> {
  const socket = await dial(baseUrl);
  let unread: Buffer = Buffer.alloc(0);
  let isOpen = false;
  let pings = 0;
  let endedAfter: number | undefined;
  const texts: string[] = [];
  const since = performance.now();
  const ended = () => {
    endedAfter ??= performance.now() - since;
  };
  await new Promise<void>((resolve, reject) => {
    socket.once('close', () => {
      ended();
      reject(new Error(`The upgrade was refused: ${unread}`));
    });
    socket.on('data', (chunk: Buffer) => {
      unread = Buffer.concat([unread, chunk]);
      if (!isOpen) {
        const head = unread.indexOf('\r\n\r\n');
        if (head < 0 || !String(unread).startsWith('HTTP/1.1 101')) return;
        unread = unread.subarray(head + 4);
        isOpen = true;
        resolve();
      }
      for (let next = frameIn(unread); next; next = frameIn(unread)) {
        unread = unread.subarray(next.length);
        if (next.opcode === opcodes.text) texts.push(String(next.payload));
        if (next.opcode === opcodes.ping) pings++;
        if (next.opcode === opcodes.close) ended();
      }
    });
    socket.write(handshake(baseUrl, headers));
  });
  return {
    texts,
    get pings() {
      return pings;
    },
    get endedAfter() {
      return endedAfter;
    },
    say(message) {
      socket.write(frame(0x81, Buffer.from(JSON.stringify(message))));
    },
    end: () => end(socket),
  };
}

const end = (socket: Socket): void => {
  socket.removeAllListeners('close');
  socket.destroy();
};

const handshake = (baseUrl: string, headers: readonly string[]): string =>
  [
    'GET /pubsub HTTP/1.1',
    `host: ${new URL(baseUrl).host}`,
    'connection: Upgrade',
    'upgrade: WebSocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
    '\r\n',
  ].join('\r\n');

/** The first frame, when all of it is there. The server masks none and splits none. */
function frameIn(bytes: Buffer): { opcode: number; payload: Buffer; length: number } | undefined {
  const [first, short] = bytes;
  if (first === undefined || short === undefined) return undefined;
  const start = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < start) return undefined;
  const size = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  const length = start + size;
  return bytes.length < length
    ? undefined
    : { opcode: first & 0x0f, payload: bytes.subarray(start, length), length };
}
