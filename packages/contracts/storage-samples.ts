import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import type { DocumentStore, DocumentWrite, Storage } from 'headgate/driver-kit';

/** `own`: the same storage as its maker knows it, whose answers nobody looks at. */
export type StorageTest = (name: string, run: (storage: Storage, own: Storage) => Promise<void>) => void;

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

export const put = (key: string, value: unknown, ifMatch?: string | null): DocumentWrite => ({
  op: 'put',
  collection: 'c',
  key,
  value,
  ...(ifMatch === undefined ? {} : { ifMatch }),
});

export const remove = (key: string, ifMatch?: string): DocumentWrite => ({
  op: 'delete',
  collection: 'c',
  key,
  ...(ifMatch === undefined ? {} : { ifMatch }),
});

export const keysOf = async (documents: DocumentStore, collection: string, prefix?: string) =>
  (await collected(documents.entries(collection, prefix === undefined ? {} : { prefix }))).map(
    ([key]) => key,
  );

export async function putEtag(documents: DocumentStore, write: DocumentWrite): Promise<string> {
  const [etag] = await documents.write([write]);
  assert.ok(typeof etag === 'string' && etag !== '' && etag !== '*', `a put resolves an etag, not ${etag}`);
  return etag;
}
