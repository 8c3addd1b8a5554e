import type { Recording, TupleBatch } from '../model/recordings.js';
import type { CallOptions } from './call-options.js';

/**
 * Unknown operators, ports and recordings reject with `NotFound`. An operator's recording and those of its ports exclude
 * each other. Recordings of an ended application are read and removed as those of a running one.
 */
export interface Recorder {
  /**
   * `portName` absent: all ports; `numWindows` absent: until it is stopped. Resolves the id; rejects with `Conflict`
   * (`RECORDING_ACTIVE`) whose details carry the active `id` when the operator or that port is being recorded. Whole windows are
   * recorded.
   */
  start(
    operatorId: string,
    what: { readonly portName?: string; readonly numWindows?: number },
    options?: CallOptions,
  ): Promise<string>;
  /** Without `portName` those of its ports too. Rejects with `NotFound` when nothing is being recorded. */
  stop(operatorId: string, what: { readonly portName?: string }, options?: CallOptions): Promise<void>;
  /** Of one operator, or of the whole application; in the order of their start. */
  list(operatorId?: string, options?: CallOptions): Promise<readonly Recording[]>;
  /** `totalTuples` is the sum of `tupleCount` of its ports; `ended` once nothing is added. */
  read(operatorId: string, recordingId: string, options?: CallOptions): Promise<Recording>;
  /** Rejects with `Conflict` (`RECORDING_ACTIVE`) while it is being recorded. */
  remove(operatorId: string, recordingId: string, options?: CallOptions): Promise<void>;
  /** In the order of windows; `startOffset` counts from 0. Ports that the recording does not have reject with `BadRequest`. */
  tuples(
    operatorId: string,
    recordingId: string,
    query: TupleQuery,
    options?: CallOptions,
  ): Promise<TupleBatch>;
}

export interface TupleQuery {
  /** Where to begin: a number of tuples over the selected ports, or a window id. */
  readonly from: { readonly offset: number } | { readonly startWindow: string };
  /** Tuples at most. */
  readonly limit: number;
  /** Ids from the recording; absent: all. */
  readonly ports?: readonly string[];
  /** Windows without tuples are listed too. */
  readonly emptyWindows: boolean;
}
