export interface BackOff {
  /** Milliseconds after the first failure. */
  readonly first: number;
  /** Milliseconds that the pause never exceeds; it doubles up to there. */
  readonly most: number;
}

/** Milliseconds to wait after the `failures`th failure in a row, from 1: doubling, then less by up to a fifth by chance. */
export function pauseAfter(failures: number, { first, most }: BackOff, chance: number): number {
  const pause = Math.min(most, first * 2 ** Math.min(failures - 1, 40));
  return Math.round(pause * (1 - chance / 5));
}
