import type { BlobInfo } from 'headgate/driver-kit';
import { sealed, unsealed } from './records.js';

/** What LevelDB keeps of a blob. */
export interface BlobRecord extends BlobInfo {
  /** Its name in the directory of blobs. */
  readonly file: string;
  /** CRC-32 of the content: finds what a disk did to it, at a fifth of what the digest costs each reader. */
  readonly checksum: number;
}

export const sealedBlobRecord = (record: string, { file, size, digest, checksum }: BlobRecord): string =>
  sealed(record, `${file} ${size} ${digest} ${checksum}`);

/** `undefined` when the record is not what was written. */
export function parseBlobRecord(record: string, value: string): BlobRecord | undefined {
  const match = /^([0-9a-f]{32}) (\d+) ([0-9a-f]{64}) (\d+)$/.exec(unsealed(record, value) ?? '');
  const [, file, size, digest, checksum] = match ?? [];
  if (file === undefined || digest === undefined) return undefined;
  return { file, size: Number(size), digest, checksum: Number(checksum) };
}
