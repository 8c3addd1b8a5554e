import { deserialize, serialize } from 'node:v8';
import { encodeFrame, type Frame, frameKind, maxBodyBytes } from './frames.js';

// What a data frame holds: the structured clone of an array of tuples. Texts of ASCII characters alone, which most
// streams between containers consist of, take a third of the time when they are written one after another behind their
// lengths: 4 bytes each, little endian.

const lengthBytes = 4;

/** Throws when the tuples can't be cloned, or are too large. */
export function encodeBatch(tuples: readonly unknown[], window: number): Buffer {
  const texts = asciiOf(tuples);
  if (texts !== undefined) return encodeTexts(tuples, texts, window);
  const body = serialize(tuples);
  checkSize(tuples, body.length);
  const { frame, bodyAt } = encodeFrame({ kind: frameKind.data, window, tuples: tuples.length }, body.length);
  body.copy(frame, bodyAt);
  return frame;
}

export function decodeBatch({ kind, body, tuples }: Frame): unknown[] {
  if (kind === frameKind.texts) return decodeTexts(body, tuples);
  const decoded: unknown = deserialize(body);
  if (!Array.isArray(decoded)) throw new Error('A frame holds no batch of tuples');
  return decoded;
}

/** All of them in a row, when they are texts that take a byte for each character; otherwise `undefined`. */
function asciiOf(tuples: readonly unknown[]): string | undefined {
  let length = 0;
  for (let i = 0; i < tuples.length; i++) {
    const tuple = tuples[i];
    if (typeof tuple !== 'string') return undefined;
    length += tuple.length;
  }
  checkSize(tuples, length);
  const texts = tuples.join('');
  return Buffer.byteLength(texts) === texts.length ? texts : undefined;
}

function encodeTexts(tuples: readonly unknown[], texts: string, window: number): Buffer {
  const bytes = tuples.length * lengthBytes + texts.length;
  checkSize(tuples, bytes);
  const { frame, bodyAt } = encodeFrame({ kind: frameKind.texts, window, tuples: tuples.length }, bytes);
  let at = bodyAt;
  for (const tuple of tuples) at = frame.writeUInt32LE(String(tuple).length, at);
  frame.write(texts, at, 'latin1');
  return frame;
}

/** Each a copy of its own: a part of a common text would keep the whole of it in memory for as long as anybody has the part. */
function decodeTexts(body: Buffer, count: number): string[] {
  const texts: string[] = [];
  let at = count * lengthBytes;
  for (let i = 0; i < count; i++) {
    const end = at + body.readUInt32LE(i * lengthBytes);
    texts.push(body.toString('latin1', at, end));
    at = end;
  }
  if (at !== body.length) throw new Error('The texts of a frame have other lengths than it says');
  return texts;
}

function checkSize(tuples: readonly unknown[], bytes: number): void {
  if (bytes > maxBodyBytes)
    throw new Error(`A batch of ${tuples.length} tuples takes ${bytes} bytes; ${maxBodyBytes} is the limit`);
}
