import {
  type CheckedWrite,
  checkedBatch,
  checkKey,
  checkPrefix,
  DamagedDocument,
  type DocumentStore,
  documentName,
  requireMatch,
  type StoredDocument,
} from 'headgate/driver-kit';
import type { Commits } from './commits.js';
import type { Database, Operation } from './database.js';
import { documentOf, etags, prepared } from './document-record.js';
import type { Problems } from './problems.js';
import { beforeKeys, documentRange, documentRecord } from './records.js';

interface DocumentsOptions {
  readonly database: Database;
  readonly commits: Commits;
  readonly problems: Problems;
  readonly maxDocumentBytes: number;
  readonly requireOpen: () => void;
}

export function filesystemDocuments(options: DocumentsOptions): DocumentStore {
  const { database, commits, problems, requireOpen } = options;
  const newEtag = etags();

  /** Notes and returns the damage. */
  function damage(collection: string, key: string, cause: unknown): DamagedDocument {
    const error = new DamagedDocument(documentName(collection, key), cause);
    problems.add({ kind: 'document', collection, key, message: error.message });
    return error;
  }

  function stored(collection: string, key: string, record: string, value: string): StoredDocument {
    const parsed = documentOf(record, value);
    if (parsed instanceof Error) throw damage(collection, key, parsed);
    problems.remove({ kind: 'document', collection, key });
    return parsed;
  }

  return {
    async get(collection, key) {
      requireOpen();
      checkKey(collection, 'name of a collection');
      checkKey(key);
      const record = documentRecord(collection, key);
      const value = await database.get(record).catch((error: unknown) => {
        throw isCorruption(error) ? damage(collection, key, error) : error;
      });
      if (value === undefined) problems.remove({ kind: 'document', collection, key });
      return value === undefined ? undefined : stored(collection, key, record, value);
    },

    async write(batch) {
      requireOpen();
      const all = checkedBatch(batch, options.maxDocumentBytes).map((write) => prepared(write, newEtag));
      if (all.length === 0) return [];
      const conditions = all.filter(({ write }) => write.ifMatch !== undefined);
      const operations: readonly Operation[] = all.map(({ operation }) => operation);
      const written = await commits.commit({
        reads: conditions.map(({ key }) => key),
        bytes: operations.reduce((sum, operation) => sum + sizeOf(operation), 0),
        decide(values) {
          for (const [i, { write, key }] of conditions.entries()) {
            const damaged = mismatch(write, key, values[i]);
            if (damaged) throw damage(write.collection, write.key, damaged);
          }
          return { operations, result: all.map(({ etag }) => etag) };
        },
      });
      for (const { write } of all) problems.remove({ kind: 'document', ...write });
      return written;
    },

    async *entries(collection, { prefix = '' } = {}) {
      requireOpen();
      checkKey(collection, 'name of a collection');
      checkPrefix(prefix);
      const skip = beforeKeys(collection);
      try {
        for await (const found of database.pages(documentRange(collection, prefix))) {
          for (const [record, value] of found) {
            const key = record.slice(skip);
            const document = documentOf(record, value);
            if (document instanceof Error) damage(collection, key, document);
            else yield [key, document] as const;
          }
          requireOpen();
        }
      } catch (error) {
        requireOpen();
        if (!isCorruption(error)) throw error;
        problems.add({
          kind: 'store',
          key: collection,
          message: `A part of the collection ${JSON.stringify(collection)} can't be read: ${error.message}`,
        });
      }
    },
  };
}

/** Throws unless the document that is there is the one that the write asks for; returns why nobody can know. */
function mismatch(write: CheckedWrite, record: string, value: string | undefined): Error | undefined {
  const there = value === undefined ? undefined : documentOf(record, value);
  if (!(there instanceof Error)) requireMatch(write, there?.etag);
  else if (write.ifMatch === '*' || write.ifMatch === null) requireMatch(write, 'the damaged one');
  else return there;
  return undefined;
}

const isCorruption = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'LEVEL_CORRUPTION';

/** Twice the characters is near enough for a limit. */
const sizeOf = (operation: Operation) =>
  operation.key.length + (operation.type === 'put' ? operation.value.length : 0);
