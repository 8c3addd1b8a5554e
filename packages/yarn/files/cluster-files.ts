/** A file or folder of the cluster. */
interface FileStatus {
  readonly name: string;
  readonly isFolder: boolean;
  /** Bytes; of a file that is being written perhaps fewer than there are. */
  readonly length: number;
  /** Epoch milliseconds. */
  readonly modifiedAt: number;
}

/**
 * The file system that applications keep their files in. Paths are absolute, with `/`. Rejects with `Unreachable`,
 * `TimedOut`, `UnusableAnswer`, and `Forbidden` for what the gateway's user may not read or write.
 */
export interface ClusterFiles {
  /** `undefined` when there is no such folder. */
  list(path: string, signal?: AbortSignal): Promise<readonly FileStatus[] | undefined>;
  /** A whole small file; `undefined` when it is not there. */
  readText(path: string, signal?: AbortSignal): Promise<string | undefined>;
  /** As long as it is now; nothing when it is not there. */
  stream(path: string, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** Replaces a file whole. */
  writeText(path: string, text: string, signal?: AbortSignal): Promise<void>;
  /** With all that is in it; `false` when it was not there. */
  remove(path: string, signal?: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}

/** `hdfs://nn:8020/user/ann/x`, `file:/tmp/x`, `/user/ann/x`: the path in the file system that the gateway was given. */
export function pathOf(location: string): string {
  const path = location.replace(/^[a-z][a-z0-9+.-]*:(?:\/\/[^/]*)?/i, '');
  return path.startsWith('/') && !path.split('/').includes('..') ? path.replace(/\/+$/, '') : '';
}
