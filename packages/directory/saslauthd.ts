import { connect } from 'node:net';
import { owned, UnusableAnswer } from 'headgate/driver-kit';

/** What saslauthd takes of one text (`MAX_REQ_LEN`). */
const maxTextBytes = 256;
const maxAnswerBytes = 1024;

/**
 * The request of saslauthd(8): user, password, service, realm, each behind its length in two bytes. `undefined` for what
 * can't be right: too long, or with a NUL, where the daemon would stop reading.
 */
export function requestOf(userName: string, password: string, service: string): Buffer | undefined {
  const texts = [userName, password, service, ''].map((text) => Buffer.from(text));
  if (texts.some((text) => text.length > maxTextBytes || text.includes(0))) return undefined;
  return Buffer.concat(texts.flatMap((text) => [Buffer.from([text.length >> 8, text.length & 0xff]), text]));
}

/** `undefined`: not whole yet. Throws `UnusableAnswer` for what is none. */
export function answerOf(bytes: Buffer): boolean | undefined {
  if (bytes.length < 2) return undefined;
  const length = bytes.readUInt16BE(0);
  if (length < 2 || length > maxAnswerBytes) throw new UnusableAnswer('saslauthd', 'answered something else');
  if (bytes.length < 2 + length) return undefined;
  const word = bytes.toString('latin1', 2, 4);
  if (word === 'OK') return true;
  if (word === 'NO') return false;
  throw new UnusableAnswer('saslauthd', 'answered something else');
}

/** Asks once, on a connection of its own. Rejects when it can't be asked, or ends without an answer. */
export function askSaslauthd(socketPath: string, request: Buffer, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = owned(connect(socketPath));
    let bytes = Buffer.alloc(0);
    const end = (settle: () => void) => {
      signal.removeEventListener('abort', abort);
      socket.destroy();
      settle();
    };
    const abort = () => end(() => reject(signal.reason));
    signal.addEventListener('abort', abort, { once: true });
    socket.on('connect', () => socket.write(request));
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      try {
        const answer = answerOf(bytes);
        if (answer !== undefined) end(() => resolve(answer));
      } catch (error) {
        end(() => reject(error));
      }
    });
    socket.on('error', (error) => end(() => reject(error)));
    socket.on('close', () => end(() => reject(new UnusableAnswer('saslauthd', 'ended without an answer'))));
  });
}
