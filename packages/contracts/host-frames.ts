import { upgradeOf } from './host-wire.js';

interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** A WebSocket without a library: it can stop reading, and shows what came. */
interface RawSocket {
  say(text: string): void;
  pause(): void;
  resume(): void;
  /** Whole frames that came, pings left out. */
  readonly frames: readonly Frame[];
  /** Of the close frame, once that came. */
  closeCode(): number | undefined;
  destroy(): void;
}

export function openSocket(
  baseUrl: string,
  target: string,
  headers: Readonly<Record<string, string>>,
): Promise<RawSocket> {
  const outgoing = upgradeOf(baseUrl, target, headers);
  return new Promise((resolve, reject) => {
    outgoing.once('error', reject);
    outgoing.once('response', ({ statusCode }) => reject(new Error(`${target} answered ${statusCode}`)));
    outgoing.once('upgrade', (_, socket, head) => {
      const frames: Frame[] = [];
      let rest: Buffer = Buffer.alloc(0);
      const read = (chunk: Buffer) => {
        const found = framesIn(Buffer.concat([rest, chunk]));
        frames.push(...found.frames.filter(({ opcode }) => opcode !== ping));
        rest = found.rest;
      };
      read(head);
      // A socket that is closed while it does not read may be reset.
      socket.on('error', () => {});
      socket.on('data', read);
      resolve({
        say: (text) => void socket.write(clientFrame(text)),
        pause: () => void socket.pause(),
        resume: () => void socket.resume(),
        frames,
        closeCode: () => frames.find(({ opcode }) => opcode === close)?.payload.readUInt16BE(0),
        destroy: () => void socket.destroy(),
      });
    });
    outgoing.end();
  });
}

// RFC 6455, 5.2.
const [text, close, ping] = [1, 8, 9];

/** Masked, as clients have to, by zeros. Short texts only. */
function clientFrame(said: string): Buffer {
  const payload = Buffer.from(said);
  return Buffer.concat([Buffer.from([0x80 | text, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}

function framesIn(bytes: Buffer): { readonly frames: Frame[]; readonly rest: Buffer } {
  const frames: Frame[] = [];
  let at = 0;
  while (at + 2 <= bytes.length) {
    const short = (bytes[at + 1] ?? 0) & 0x7f;
    const start = at + (short < 126 ? 2 : short === 126 ? 4 : 10);
    if (start > bytes.length) break;
    const length =
      short < 126
        ? short
        : short === 126
          ? bytes.readUInt16BE(at + 2)
          : Number(bytes.readBigUInt64BE(at + 2));
    if (start + length > bytes.length) break;
    frames.push({ opcode: (bytes[at] ?? 0) & 0x0f, payload: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return { frames, rest: bytes.subarray(at) };
}
