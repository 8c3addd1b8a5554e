import type { CheckpointHistory, Savepoint, SavepointList, SavepointOrder } from '../model/checkpoints.js';
import type { CallOptions } from './call-options.js';

/** A savepoint is ordered on behalf of a user. */
export type SavepointRequest = CallOptions & NonNullable<SavepointOrder> & { readonly user: string };

/**
 * The savepoints of one application: those that were ordered here, that of its stop included, and those that the cluster tells of.
 * Of an ended application they are listed and removed as those of a running one.
 */
export interface SavepointCatalogue {
  /** In the order of their start. While the cluster can't be asked: those that were ordered here. */
  list(options?: CallOptions): Promise<SavepointList>;
  /**
   * Resolves as soon as the cluster took the order, and it goes on then whoever waits. While one that was ordered here is under way it
   * is that one. Rejects with `BadRequest` (`ENGINE_REFUSED`) when the cluster refuses it, as without a folder for it.
   */
  start(request: SavepointRequest): Promise<Savepoint>;
  /**
   * Deletes what it holds, and forgets it; one that holds nothing, or whose files are gone, is forgotten. Rejects with `NotFound`,
   * with `Conflict` (`SAVEPOINT_UNDER_WAY`) while it is being made, and with `BadRequest` (`ENGINE_REFUSED`) when it can't be deleted.
   */
  remove(savepointId: string, options?: CallOptions): Promise<void>;
}

export interface CheckpointReader {
  /** Of an ended application as long as the cluster knows. */
  read(options?: CallOptions): Promise<CheckpointHistory>;
}
