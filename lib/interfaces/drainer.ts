import type { CallOptions } from './call-options.js';

/** Ends applications for good, where `shutdown` keeps them so that they can go on. */
export interface Drainer {
  /**
   * As `shutdown`, but the inputs say first that nothing more is coming, so that windows and timers that are open are carried out. What it
   * leaves is its end, and no state to go on from. Rejects as `shutdown` does, and with `Conflict` (`SAVEPOINT_UNDER_WAY`) when a
   * shutdown of another kind is under way.
   */
  drain(options?: CallOptions & { readonly user?: string }): Promise<void>;
}
