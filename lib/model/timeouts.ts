/** How long the gateway waits for others, milliseconds; a request that is about them is then answered with 504. */
export interface Timeouts {
  /** For the resource manager. Default: 10 s. */
  readonly resourceManagerMillis: number;
  /** For the master of one application, which itself may wait 5 s for an operator. Default: 10 s. */
  readonly masterMillis: number;
  /** For launching and restarting, which may copy programs. Default: 2 min. */
  readonly launchMillis: number;
  /** For changing the plan of a running application, which waits for new containers and the end of a window. Default: 1 min. */
  readonly planChangeMillis: number;
  /** For the directory that is asked about a login. Default: 10 s. */
  readonly loginMillis: number;
  /** For the mail server, when somebody waits for a test mail. Default: 15 s. */
  readonly testMailMillis: number;
  /** For each part to end when the gateway closes; what has not ended by then is left behind, and the log names it. Default: 20 s. */
  readonly closeMillis: number;
}

export const defaultTimeouts: Timeouts = {
  resourceManagerMillis: 10_000,
  masterMillis: 10_000,
  launchMillis: 120_000,
  planChangeMillis: 60_000,
  loginMillis: 10_000,
  testMailMillis: 15_000,
  closeMillis: 20_000,
};
