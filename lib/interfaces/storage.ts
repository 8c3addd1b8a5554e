import type { Readable } from 'node:stream';

/** Everything the gateway keeps. Drivers know no feature: collections, keys and documents are opaque to them. */
export interface Storage {
  readonly documents: DocumentStore;
  readonly blobs: BlobStore;
  /**
   * 32 random bytes that stay the same as long as what is kept: made at first use, kept apart from documents and
   * blobs. Secrets are sealed with them unless the host brings its own `Secrets`. Absent: it must.
   */
  secretKey?(): Promise<Buffer>;
  /** What is wrong with what is kept, found while opening or reading. Each entry costs nothing else. */
  problems(): readonly StorageProblem[];
  /**
   * Idempotent. Writes of documents that were started are finished first; blobs still coming in are given up, open
   * ones are closed. Afterwards everything rejects with `NotReady`.
   */
  close(): Promise<void>;
}

/** A document or blob that can't be read: it is named, and everything else works. */
export interface StorageProblem {
  /** `store`: something that can't be told by its key, such as writes that the disk lost. */
  readonly kind: 'document' | 'blob' | 'store';
  /** Of a document. */
  readonly collection?: string;
  /** For a store, the part of it that is hurt. */
  readonly key: string;
  readonly message: string;
}

/**
 * Small JSON documents in named collections.
 *
 * Keys hold any Unicode, `/`, `%` and spaces included, up to 512 bytes of UTF-8; keys that differ in case
 * are different keys. A longer or empty key rejects with `BadRequest`; names of collections obey the same rules.
 * Documents are JSON values: what comes back is equal to what went in, and never the same object. What JSON can't
 * hold (`NaN`, dates, functions) rejects with `TypeError`, a document larger than the driver takes with `TooLarge`.
 */
export interface DocumentStore {
  /** Resolves `undefined` when absent; rejects with `DamagedDocument` when it can't be read back. */
  get(collection: string, key: string): Promise<StoredDocument | undefined>;
  /**
   * Writes all or none, durably: when it resolves the writes survive a crash of the machine; until then a
   * reader sees none of them. Resolves the new etag of each write, `undefined` for deletes. A batch that names a
   * document twice rejects with `BadRequest`.
   *
   * Rejects with `PreconditionFailed` naming the first write whose `ifMatch` does not hold; nothing is written then.
   *
   * When the medium fails, a full disk included: `StorageFailed` when the write may have been made or not, which later
   * reads tell, and `NotReady` when nothing was tried. Whatever failed before, a write that resolves is durable: a
   * driver that can't promise that refuses all until it can, and takes writes again by itself.
   */
  write(batch: readonly DocumentWrite[]): Promise<readonly (string | undefined)[]>;
  /**
   * Documents of a collection in the byte order of their keys, only those that start with `prefix`, all as they
   * were at one moment after the call. Damaged ones are left out and reported by `problems`.
   */
  entries(
    collection: string,
    options?: { prefix?: string },
  ): AsyncIterable<readonly [key: string, stored: StoredDocument]>;
}

export interface StoredDocument {
  readonly value: unknown;
  /** Changes with every write of the document, and never returns to a value it had. */
  readonly etag: string;
}

export type DocumentWrite =
  | {
      readonly op: 'put';
      readonly collection: string;
      readonly key: string;
      readonly value: unknown;
      /** The etag that must be there; `*`: any; `null`: there must be no document; absent: whatever is there. */
      readonly ifMatch?: string | null;
    }
  | {
      readonly op: 'delete';
      readonly collection: string;
      readonly key: string;
      /** The etag that must be there; `*`: any; absent: whatever is there, and deleting nothing is no error. */
      readonly ifMatch?: string;
    };

/** Large byte strings. Keys follow the rules of document keys. */
export interface BlobStore {
  /**
   * Consumes the stream to its end. The blob is visible under `key`, whole and durable, when it resolves; nothing is
   * visible and nothing is left when it rejects or the signal aborts. An existing blob is replaced at that moment;
   * readers that opened it before go on reading the old content. The stream is destroyed when the signal aborts, and
   * left to its owner when the write fails otherwise: a request that is too large can still be answered.
   */
  write(key: string, content: Readable, options?: BlobWriteOptions): Promise<BlobInfo>;
  /** Rejects with `NotFound` when absent, with `DamagedDocument` when it can't be read back. Close it when done. */
  open(key: string): Promise<Blob>;
  /** Resolves whether something was deleted. Open readers go on reading. */
  delete(key: string): Promise<boolean>;
  /** Keys that start with `prefix`, in byte order, all as they were at one moment after the call. */
  list(prefix?: string): AsyncIterable<string>;
}

export interface BlobWriteOptions {
  readonly signal?: AbortSignal;
  /** Bytes; one more rejects with `TooLarge`. No limit when absent. */
  readonly maxBytes?: number;
  /**
   * SHA-256 of the content, lower-case hexadecimal, for who has it from elsewhere: asked once, after the last byte, and
   * believed. When absent, or for a driver that would rather see for itself, the driver digests.
   */
  readonly digest?: () => string;
}

export interface BlobInfo {
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the content, lower-case hexadecimal. */
  readonly digest: string;
}

export interface Blob extends BlobInfo {
  /**
   * Bytes `start` up to but without `end`, cut at the end of the blob; the whole blob when absent. May be called
   * many times; each stream must be read to its end or destroyed. A stream fails with `DamagedDocument` when the
   * content turns out not to be what was written.
   */
  stream(range?: { start?: number; end?: number }): Readable;
  /** Up to `length` bytes at `position`; fewer only at the end of the blob. */
  read(position: number, length: number): Promise<Buffer>;
  /** Idempotent. Streams that were started go on to their end. */
  close(): Promise<void>;
}
