import type * as z from 'zod';
import type { DocumentStore, DocumentWrite, StorageProblem } from '../interfaces/storage.js';
import { DamagedDocument, PreconditionFailed } from '../model/errors.js';
import { createDocumentSchema, type DocumentSchema } from './document-schema.js';
import { documentName } from './storage-keys.js';

/** A typed view of one collection of documents: what goes in and what comes out fits the schema. */
export interface Collection<T> {
  /** Resolves `undefined` when absent; rejects with `DamagedDocument` when the document does not fit the schema. */
  get(key: string): Promise<Kept<T> | undefined>;
  /** What a write has to ask for that replaces what is there: also a document that can't be read, which is gone then. */
  toReplace(key: string): Promise<ToReplace<T>>;
  /** Resolves the new etag. Rejects with `PreconditionFailed` when `ifMatch` does not hold. */
  put(key: string, value: T, options?: { ifMatch?: string | null }): Promise<string>;
  /**
   * Puts what `change` makes of the present value (`undefined` when absent), again with the newer value when somebody
   * else was faster, so `change` may be called several times. It may throw, then nothing changes.
   */
  update(key: string, change: (value: T | undefined) => T): Promise<Kept<T>>;
  /** Resolves whether something was removed. Rejects with `PreconditionFailed` when `ifMatch` does not hold. */
  remove(key: string, options?: { ifMatch?: string }): Promise<boolean>;
  /** In the byte order of the keys. Documents that can't be read are left out and reported by `problems`. */
  list(options?: { prefix?: string }): Promise<readonly Kept<T>[]>;
  /** The same one by one, for collections that are large. */
  entries(options?: { prefix?: string }): AsyncIterable<Kept<T>>;
  /** Writes as data, for one atomic `documents.write` over several documents or collections. */
  readonly writes: {
    put(key: string, value: T, options?: { ifMatch?: string | null }): DocumentWrite;
    remove(key: string, options?: { ifMatch?: string }): DocumentWrite;
  };
  /** Documents that did not fit the schema when they were read last. */
  problems(): readonly StorageProblem[];
}

export interface Kept<T> {
  readonly key: string;
  readonly value: T;
  readonly etag: string;
}

interface ToReplace<T> {
  /** Absent when nothing is there, or nothing that can be read. */
  readonly value: T | undefined;
  readonly isDamaged: boolean;
  readonly ifMatch: string | null;
}

/** Writes all or nothing; resolves `undefined` when somebody else was faster, so that a condition does not hold. */
export async function commit(
  documents: DocumentStore,
  batch: readonly DocumentWrite[],
): Promise<true | undefined> {
  try {
    await documents.write(batch);
    return true;
  } catch (error) {
    if (error instanceof PreconditionFailed) return undefined;
    throw error;
  }
}

/** How often `update` starts again when others are faster. */
const maxUpdateAttempts = 100;

/** `schema` has no transforms: what it lets in it must let out again. */
export function collection<T>(documents: DocumentStore, name: string, schema: z.ZodType<T>): Collection<T> {
  const documentSchema = createDocumentSchema(name, schema);
  const reads = readsOf(documents, name, documentSchema);

  const writes: Collection<T>['writes'] = {
    put: (key, value, options) => ({
      op: 'put',
      collection: name,
      key,
      value: documentSchema.written(key, value),
      ...options,
    }),
    remove: (key, options) => ({ op: 'delete', collection: name, key, ...options }),
  };

  async function put(key: string, value: T, options?: { ifMatch?: string | null }): Promise<string> {
    const [etag] = await documents.write([writes.put(key, value, options)]);
    if (etag === undefined) throw new TypeError('The storage driver gave no etag for a put');
    documentSchema.settle(key);
    return etag;
  }

  return {
    ...reads,
    put,
    writes,

    async update(key, change) {
      for (let attempt = 1; ; attempt++) {
        const present = await reads.get(key);
        const value = change(present?.value);
        try {
          return { key, value, etag: await put(key, value, { ifMatch: present?.etag ?? null }) };
        } catch (error) {
          if (!(error instanceof PreconditionFailed) || attempt === maxUpdateAttempts) throw error;
        }
      }
    },

    async remove(key, options) {
      try {
        await documents.write([writes.remove(key, { ifMatch: options?.ifMatch ?? '*' })]);
      } catch (error) {
        if (error instanceof PreconditionFailed && options?.ifMatch === undefined) return false;
        throw error;
      }
      documentSchema.settle(key);
      return true;
    },

    problems: documentSchema.problems,
  };
}

/** Of a collection: all that changes nothing. */
function readsOf<T>(
  documents: DocumentStore,
  name: string,
  documentSchema: DocumentSchema<T>,
): Pick<Collection<T>, 'get' | 'toReplace' | 'entries' | 'list'> {
  async function get(key: string): Promise<Kept<T> | undefined> {
    const stored = await documents.get(name, key);
    if (!stored) {
      documentSchema.settle(key);
      return undefined;
    }
    const parsed = documentSchema.read(key, stored.value);
    if (!parsed.success) throw new DamagedDocument(documentName(name, key), parsed.error);
    return { key, value: parsed.data, etag: stored.etag };
  }

  async function toReplace(key: string): Promise<ToReplace<T>> {
    try {
      const present = await get(key);
      return { value: present?.value, isDamaged: false, ifMatch: present?.etag ?? null };
    } catch (error) {
      if (!(error instanceof DamagedDocument)) throw error;
      return { value: undefined, isDamaged: true, ifMatch: '*' };
    }
  }

  async function* entries(options?: { prefix?: string }): AsyncIterable<Kept<T>> {
    for await (const [key, stored] of documents.entries(name, options)) {
      const value = documentSchema.read(key, stored.value);
      if (value.success) yield { key, value: value.data, etag: stored.etag };
    }
  }

  return {
    get,
    toReplace,
    entries,

    async list(options) {
      const found: Kept<T>[] = [];
      for await (const kept of entries(options)) found.push(kept);
      return found;
    },
  };
}
