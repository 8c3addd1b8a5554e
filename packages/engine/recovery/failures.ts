import { type Failure, pauseAfter } from 'headgate/driver-kit';

interface FailurePolicy {
  /** Failures within `periodMillis` that the application outlives. */
  readonly max: number;
  readonly periodMillis: number;
}

type Verdict =
  | { readonly kind: 'retry'; readonly delayMillis: number }
  /** `cause` is the first failure of the last series: those that follow are often its consequences. */
  | { readonly kind: 'give-up'; readonly cause: Failure; readonly count: number };

const delays = { first: 100, most: 10_000 };

interface FailureCounter {
  add(failure: Failure, at: number): Verdict;
}

export function createFailureCounter(policy: FailurePolicy): FailureCounter {
  let recent: { failure: Failure; at: number }[] = [];
  return {
    add(failure, at) {
      recent = [...recent.filter((earlier) => at - earlier.at < policy.periodMillis), { failure, at }];
      if (recent.length > policy.max)
        return { kind: 'give-up', cause: firstOfSeries(recent) ?? failure, count: recent.length };
      return {
        kind: 'retry',
        delayMillis: pauseAfter(recent.length, delays, 0),
      };
    },
  };
}

/** What ran well for so long had got over the failures before. */
const seriesGapMillis = 60_000;

function firstOfSeries(failures: readonly { failure: Failure; at: number }[]): Failure | undefined {
  const begins = failures.findLastIndex(
    ({ at }, i) => at - (failures[i - 1]?.at ?? -Infinity) > seriesGapMillis,
  );
  return failures[Math.max(0, begins)]?.failure;
}
