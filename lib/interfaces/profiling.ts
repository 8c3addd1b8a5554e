import type { Readable } from 'node:stream';
import type {
  BackPressure,
  ContainerProfile,
  FlameGraph,
  FlameGraphQuery,
  ProfileOrder,
} from '../model/profiling.js';
import type { CallOptions } from './call-options.js';

// All of this rejects with `Conflict`: `APPLICATION_ENDED`, and `PROFILING_DISABLED` where the engine is set up without it.

/** Where the threads of an operator are, by samples of their stacks. */
export interface FlameGraphReader {
  /**
   * Not more frames than one answer carries, and not deeper than recursion goes. Rejects with `NotFound` for an unknown operator,
   * `Conflict` (`OPERATOR_NOT_DEPLOYED`) for one that is done, and `NotReady` when there are no samples yet after a while: they are
   * taken all the same.
   */
  read(operatorName: string, request: FlameGraphQuery & CallOptions): Promise<FlameGraph>;
}

export interface BackPressureReader {
  /** Rejects as a flame graph does. */
  read(operatorName: string, options?: CallOptions): Promise<BackPressure>;
}

/** Profiles of whole processes: of whatever runs in them, other applications included. */
export interface Profiler {
  /** The newest first. Rejects with `NotFound` for an unknown container, `Conflict` (`CONTAINER_NOT_RUNNING`) for one that is gone. */
  list(containerId: string, options?: CallOptions): Promise<readonly ContainerProfile[]>;
  /**
   * Resolves when it has begun. Rejects with `Conflict` (`PROFILE_UNDER_WAY`) while there is one, and with `BadRequest`
   * (`ENGINE_REFUSED`) when the machine can't do it.
   */
  start(containerId: string, request: ProfileOrder & CallOptions): Promise<ContainerProfile>;
  /** Rejects with `NotFound` for one without a file, `Conflict` (`PROFILE_UNDER_WAY`) for one that is being made. */
  open(containerId: string, profileId: string, options?: CallOptions): Promise<OpenProfile>;
}

export interface OpenProfile {
  /** Of the file that it is, without a path. */
  readonly name: string;
  /** Bytes; absent: nobody knows before the end. */
  readonly length?: number;
  /** A page with scripts in it. Whoever opens it reads it to its end, or destroys it. */
  readonly content: Readable;
}
