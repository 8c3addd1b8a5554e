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
  /** What is wrong with what is kept, found while opening or reading; empty for a new one. Each entry costs nothing else. */
  problems(): readonly StorageProblem[];
  /**
   * Idempotent. Writes of documents that were started are finished first; blobs still coming in are given up (their write
   * rejects, their stream is destroyed), open ones are closed. Afterwards everything rejects with `NotReady`, the next item of
   * a listing that is under way too.
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
 * Keys hold any Unicode, `/`, `%`, `..` and the character 0 included, up to 512 bytes of UTF-8; keys that differ in case or in
 * normalization are different keys. A longer or empty key, and one with half of a surrogate pair, rejects with `BadRequest`;
 * names of collections obey the same rules, prefixes too but that they may be empty. `checkKey` and `checkPrefix` of the kit
 * do it.
 *
 * Documents are JSON values, taken as they are at the call: what comes back is equal to what went in, and never the same
 * object; members of objects that are `undefined` are left out, half characters in texts come back. What JSON can't hold
 * (`NaN`, dates, functions, `undefined` in a list or as the document) rejects with `TypeError` that names its place in the value
 * (`at`), what contains itself says so; a document larger than the driver takes with `TooLarge`. `checkedBatch` of the kit
 * does it.
 */
export interface DocumentStore {
  /** Resolves `undefined` when absent; rejects with `DamagedDocument` when it can't be read back. */
  get(collection: string, key: string): Promise<StoredDocument | undefined>;
  /**
   * Writes all or none, durably: when it resolves the writes survive a crash of the machine; until then a
   * reader sees none of them. Resolves the new etag of each write, in their order, `undefined` for deletes; of an empty batch
   * `[]`. A batch that names a document twice rejects with `BadRequest`. Batches take effect in the order of the calls: of two
   * that ask for the same etag the first one wins.
   *
   * Rejects with `PreconditionFailed` whose message names the key of the first write whose `ifMatch` does not hold (in double
   * quotes); nothing is written then.
   *
   * When the medium fails, a full disk included: `StorageFailed` when the write may have been made or not, which later
   * reads tell, and `NotReady` when nothing was tried. Whatever failed before, a write that resolves is durable: a
   * driver that can't promise that refuses all until it can, and takes writes again by itself.
   */
  write(batch: readonly DocumentWrite[]): Promise<readonly (string | undefined)[]>;
  /**
   * Documents of a collection in the byte order of their keys, only those that start with `prefix`, all as they
   * were at one moment after the call; none of a collection that there is not. Damaged ones are left out and reported by
   * `problems`. Whoever reads may stop early, which lets go of everything.
   */
  entries(
    collection: string,
    options?: { prefix?: string },
  ): AsyncIterable<readonly [key: string, stored: StoredDocument]>;
}

export interface StoredDocument {
  readonly value: unknown;
  /**
   * Not empty, and not `*`. Changes with every write of the document, also of the same value, and never returns to one it had:
   * not after a delete, nor after the storage was opened again.
   */
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
   * readers that opened it before go on reading the old content. Of several writers at once one content stays, whole. The
   * stream is destroyed when the signal aborts, and left to its owner when the write fails otherwise: a request that is too
   * large can still be answered.
   *
   * Rejects with the reason of the signal, also when that has aborted before; with the error of a stream that fails; with any
   * error for one that is destroyed before its end, or was read before; with `TypeError` for chunks that are no bytes.
   * `blobIntake` of the kit does it.
   */
  write(key: string, content: Readable, options?: BlobWriteOptions): Promise<BlobInfo>;
  /** Rejects with `NotFound` when absent, with `DamagedDocument` when it can't be read back. Whoever opens it closes it. */
  open(key: string): Promise<Blob>;
  /** Resolves whether something was deleted. Open readers go on reading. */
  delete(key: string): Promise<boolean>;
  /** Keys that start with `prefix`, in byte order, all as they were at one moment after the call. */
  list(prefix?: string): AsyncIterable<string>;
}

export interface BlobWriteOptions {
  readonly signal?: AbortSignal;
  /** Bytes, 0 included; one more rejects with `TooLarge`. No limit when absent. */
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
   * many times, also while others are read; each stream must be read to its end or destroyed. A stream fails with
   * `DamagedDocument` when the content turns out not to be what was written. Throws `RangeError` for what is no integer, is
   * negative, or ends before it starts (`byteRange` of the kit), and any error once the blob is closed. Large downloads
   * take less memory and time from one that is a `RecyclingReadable`.
   */
  stream(range?: { start?: number; end?: number }): Readable;
  /**
   * Up to `length` bytes at `position`; fewer only at the end of the blob. Rejects with `RangeError` as `stream` throws it, and
   * with any error once the blob is closed.
   */
  read(position: number, length: number): Promise<Buffer>;
  /** Idempotent. Streams that were started go on to their end; new ones and `read` are refused. */
  close(): Promise<void>;
}
