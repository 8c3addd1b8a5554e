/** What is measured in the embedded engine and in Flink: the same records, and the same work for each. */
export type Pipeline =
  /** Numbers from a source through an operator that doubles them to one that counts, all in one process. */
  | { readonly kind: 'chain' }
  /** Texts of 200 characters from a source in one process to a counter in another. */
  | { readonly kind: 'across' }
  /**
   * Keys from a source in one process to a counter of each key in another, with a checkpoint each two seconds.
   * `perSecond`: so many since `from` (epoch milliseconds), also those that were due while it did not run; 0: as many as
   * it can.
   */
  | { readonly kind: 'keyed'; readonly perSecond: number; readonly from: number };

export const textBytes = 200;
export const keys = 10_000;
export const checkpointMillis = 2000;

/** Records between two looks at the clock by the counter, a power of two. */
export const recordsPerLook = (pipeline: Pipeline): number =>
  pipeline.kind === 'keyed' && pipeline.perSecond > 0 ? 64 : 4096;

/** A pipeline that runs. */
export interface Run {
  /** All processes that have a part in it. */
  pids(): readonly number[];
  /** Ends the process of a part with SIGKILL. */
  kill(part: 'source' | 'count'): Promise<void>;
  stop(): Promise<void>;
}

/** What runs pipelines; their counter appends to the file `progress`, see `progress.ts`. */
export interface Runner {
  start(pipeline: Pipeline, progress: string): Promise<Run>;
}
