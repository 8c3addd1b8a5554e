import type { BlobInfo } from '../../lib/index.js';
import { sealed, unsealed } from './filesystem-records.js';

/** What LevelDB keeps of a blob. */
export interface BlobRecord extends BlobInfo {
  /** Its name in the directory of blobs. */
  readonly file: string;
}

export const sealedBlobRecord = (record: string, { file, size, digest }: BlobRecord): string =>
  sealed(record, `${file} ${size} ${digest}`);

/** `undefined` when the record is not what was written. */
export function parseBlobRecord(record: string, value: string): BlobRecord | undefined {
  const match = /^([0-9a-f]{32}) (\d+) ([0-9a-f]{64})$/.exec(unsealed(record, value) ?? '');
  const [, file, size, digest] = match ?? [];
  if (file === undefined || digest === undefined) return undefined;
  return { file, size: Number(size), digest };
}
