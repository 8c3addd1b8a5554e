import { Readable } from 'node:stream';
import type { Storage } from '../lib/driver-kit.js';

export type StorageTest = (name: string, run: (storage: Storage) => Promise<void>) => void;

/** Keys that drivers trip over, in the byte order of their UTF-8. */
export const oddKeys: readonly string[] = [
  '\u0000',
  '\u0001/\u0000',
  ' ',
  ' leading and trailing ',
  '%',
  '%252F',
  '%2F',
  '.',
  '..',
  '../../etc/passwd',
  '/',
  '//',
  '/absolute',
  'A',
  'CON',
  'Key',
  '\\windows\\path',
  '__proto__',
  'a',
  `a${'b'.repeat(511)}`,
  'constructor',
  'e\u0301',
  'key',
  'nul',
  'star*?"<>|:',
  'x\ny\tz',
  '\u00e9',
  'ключ/с пробелом',
  '한'.repeat(170),
  '\uFFFD',
  '\uFFFF',
  '\u{1F511}',
  '\u{10FFFF}',
];

export const source = (...chunks: (string | Buffer)[]): Readable =>
  Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

export async function bytesOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
