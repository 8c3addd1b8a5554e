// The door of storage drivers, names only: a process that only keeps things need not load the whole gateway. All of it
// is in `index.ts` too.
export { type BlobIntake, blobIntake } from './core/blob-intake.js';
export { byteRange } from './core/byte-range.js';
export { type CheckedWrite, checkedBatch, requireMatch } from './core/document-batch.js';
export * from './core/errors.js';
export {
  blobName,
  checkKey,
  checkPrefix,
  compareKeys,
  documentName,
  maxKeyBytes,
} from './core/storage-keys.js';
export type * from './interfaces/clock.js';
export type * from './interfaces/storage.js';
