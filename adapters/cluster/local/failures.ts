import type { Failure } from '../../../lib/index.js';

export interface FailurePolicy {
  /** Failures within `periodMillis` that the application outlives. */
  readonly max: number;
  readonly periodMillis: number;
}

export type Verdict =
  | { readonly kind: 'retry'; readonly delayMillis: number }
  /** `cause` is the first failure of the series: those that follow are often its consequences. */
  | { readonly kind: 'give-up'; readonly cause: Failure; readonly count: number };

const firstDelayMillis = 100;
const longestDelayMillis = 10_000;

export interface FailureCounter {
  add(failure: Failure, at: number): Verdict;
}

export function createFailureCounter(policy: FailurePolicy): FailureCounter {
  let recent: { failure: Failure; at: number }[] = [];
  return {
    add(failure, at) {
      recent = [...recent.filter((earlier) => at - earlier.at < policy.periodMillis), { failure, at }];
      if (recent.length > policy.max)
        return { kind: 'give-up', cause: recent[0]?.failure ?? failure, count: recent.length };
      return {
        kind: 'retry',
        delayMillis: Math.min(longestDelayMillis, firstDelayMillis * 2 ** (recent.length - 1)),
      };
    },
  };
}
