/** How long the gateway waits for the cluster before it answers 504, milliseconds. */
export interface Patience {
  /** For the resource manager. Default: 10 s. */
  readonly resourceManagerMillis: number;
  /** For the master of one application. Default: 5 s. */
  readonly masterMillis: number;
  /** For launching and restarting, which may copy programs. Default: 2 min. */
  readonly launchMillis: number;
}

export const defaultPatience: Patience = {
  resourceManagerMillis: 10_000,
  masterMillis: 5000,
  launchMillis: 120_000,
};
