import { createHash } from 'node:crypto';
import type { DocumentWrite } from '../../../../lib/interfaces/storage.js';

// What the writer of the crash test writes and its judge expects: both sides work out step n of each lane from its number.

export const documentLanes = 8;
export const blobLanes = 4;

/** Step n of a lane of documents: one batch over four documents, so a half of it can be told. */
export function documentStep(lane: number, n: number): readonly DocumentWrite[] {
  const put = (key: string, value: unknown): DocumentWrite => ({
    op: 'put',
    collection: `lane${lane}`,
    key,
    value,
  });
  return [
    put('head', { n, filler: filler(lane, n, (n * 37) % 400).toString('hex') }),
    put(`step/${n}`, n),
    { op: 'delete', collection: `lane${lane}`, key: `step/${n - 3}` },
    put('tail', { n }),
  ];
}

/** All keys of a lane after step n. */
export const keysAfter = (n: number): readonly string[] =>
  n === 0
    ? []
    : [
        'head',
        ...[n - 2, n - 1, n]
          .filter((step) => step > 0)
          .map((step) => `step/${step}`)
          .sort(),
        'tail',
      ];

/** Step n of a lane of blobs: its new content, or nothing for a deletion. */
export const blobStep = (lane: number, n: number): Buffer | undefined =>
  n === 0 || n % 5 === 4 ? undefined : filler(lane, n, (n * 7919) % 200_000);

export function filler(lane: number, n: number, length: number): Buffer {
  const block = createHash('sha256').update(`${lane}/${n}`).digest();
  return Buffer.alloc(length, block);
}
