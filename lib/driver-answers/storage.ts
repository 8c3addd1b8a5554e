import * as z from 'zod';
import type {
  Blob as BlobShape,
  BlobStore,
  DocumentStore,
  Storage,
  StorageProblem,
  StoredDocument,
} from '../interfaces/storage.js';
import {
  type AnswersOf,
  answersBelow,
  buffer,
  count,
  done,
  fun,
  later,
  type MembersOf,
  sooner,
} from './shapes.js';

const text = z.string();
const Etag = text.min(1).refine((etag) => etag !== '*', 'can\'t be "*"');
const size = count;
const digest = text.regex(/^[0-9a-f]{64}$/, 'is no SHA-256 in lower-case hexadecimal');

const Problem = z.object({
  kind: z.enum(['document', 'blob', 'store']),
  collection: text.optional(),
  key: text,
  message: text,
} satisfies MembersOf<StorageProblem>);

const Document = z.object({ value: z.unknown(), etag: Etag } satisfies MembersOf<StoredDocument>);
const OpenBlob = z.object({
  size,
  digest,
  stream: fun,
  read: fun,
  close: fun,
} satisfies MembersOf<BlobShape>);
const Listing = z.custom(
  (value) => typeof value === 'object' && value !== null && Symbol.asyncIterator in value,
  'is not to be read by `for await`',
);
const Key = z
  .custom<Buffer>(Buffer.isBuffer, 'is no Buffer')
  .refine(({ length }) => length === 32, 'has no 32 bytes');

export const storageAnswers = answersBelow({
  '': {
    secretKey: later(Key),
    problems: sooner(z.array(Problem)),
    close: done,
  } satisfies AnswersOf<Storage>,
  'documents.': {
    get: later(Document.optional()),
    write: later(z.array(Etag.optional())),
    entries: sooner(Listing),
  } satisfies AnswersOf<DocumentStore>,
  'blobs.': {
    write: later(z.object({ size, digest })),
    open: later(OpenBlob),
    delete: later(z.boolean()),
    list: sooner(Listing),
  } satisfies AnswersOf<BlobStore>,
  'blob.': {
    stream: sooner(Listing),
    read: later(buffer),
    close: done,
  } satisfies AnswersOf<BlobShape>,
});
