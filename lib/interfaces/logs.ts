import type { Readable } from 'node:stream';
import type { GcEvent, LogInfo } from '../model/containers.js';
import type { CallOptions } from './call-options.js';

/** Log files of the application's containers, ended ones included. Unknown containers and logs reject with `NotFound`. */
export interface LogReader {
  /**
   * The container's own folder and nothing beyond it, whatever name is asked for (`..`, `''`); empty for one that keeps no logs
   * here, as the master's may.
   */
  list(containerId: string, options?: CallOptions): Promise<readonly LogInfo[]>;
  /** Whoever opens it closes it. */
  open(containerId: string, logName: string, options?: CallOptions): Promise<OpenLog>;
  /** What a line of a garbage collection log tells; `undefined` for any other line. Linear in the line's length. */
  collectionOf(line: string): GcCollection | undefined;
}

/** One log as it was when it was opened, also while it grows, is rotated or loses its container. */
export interface OpenLog {
  /** Bytes; what is written later is not seen. */
  readonly length: number;
  /** Bytes from `start` up to `end`, both within the length; none when they are the same. Several may be read at once. */
  read(start: number, end: number): Readable;
  /** Idempotent; readings that are under way fail. */
  close(): Promise<void>;
}

export type GcCollection = Omit<GcEvent, 'byteOffset' | 'line' | 'container'>;
