/** How something is spread over partitions. */
interface Spread {
  readonly min: number;
  readonly avg: number;
  readonly max: number;
  /** How many times the average the largest has: 1 is even. `undefined` where nothing flows. */
  readonly skew: number | undefined;
}

/** `undefined` when nothing is known of any. */
export function spreadOf(values: readonly number[]): Spread | undefined {
  const known = values.filter((value) => Number.isFinite(value) && value >= 0);
  if (known.length === 0) return undefined;
  const avg = known.reduce((sum, value) => sum + value, 0) / known.length;
  const max = Math.max(...known);
  return { min: Math.min(...known), avg, max, skew: avg > 0 ? max / avg : undefined };
}
