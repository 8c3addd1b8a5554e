/** What a host lets the gateway do to its process. */
export interface Lifecycle {
  /**
   * Called by `POST /ws/v2/config/restart` after the answer was sent. Without it the gateway rebuilds its
   * insides in place and the host's process goes on.
   */
  restart?(): Promise<void> | void;
}
