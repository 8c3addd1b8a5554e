/** Wall clock for what is shown and kept. Durations are measured by `monotonic`, which no clock change moves. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds since an arbitrary start; never goes back. */
  monotonic(): number;
}
