import type { GoodFor } from './polled.js';

/** `metrics.fetcher.update-interval` where it is not set, milliseconds. */
const defaultMillis = 10_000;

/** Questions take different times on their way, and one that comes too early begins nothing: so much later, as a part of the interval. */
const slack = 0.05;

const units: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['ms', 1],
  ['s', 1000],
  ['sec', 1000],
  ['m', 60_000],
  ['min', 60_000],
]);

/**
 * How often Flink gathers what its tasks measure, milliseconds: `10000`, `10 s`. A way of writing it that is not known here counts as 0: who asks in
 * each beat misses nothing.
 */
export function updateMillisOf(settings: Readonly<Record<string, string>>): number {
  const written = settings['metrics.fetcher.update-interval'];
  if (written === undefined) return defaultMillis;
  const [, count, unit = ''] = /^\s*(\d+)\s*([a-z]*)\s*$/.exec(written) ?? [];
  return Number(count ?? 0) * (units.get(unit) ?? 0);
}

/**
 * Flink gathers the metrics of all tasks together, when somebody asks for one of them and the last time is long enough ago. Who asks is told
 * those of the time before, so that the next question tells the new ones, and those after it the same until it gathers them again.
 */
export function metricsAreGood(deps: {
  readonly pollMillis: number;
  /** How often Flink gathers them. */
  readonly updateMillis: () => Promise<number>;
}): GoodFor {
  const { pollMillis } = deps;
  /** As long as it is not known, in each beat. */
  let updateMillis = pollMillis;
  /** When the last gathering was begun by a question of ours. */
  let begunAt = Number.NEGATIVE_INFINITY;

  return (askedAt) => {
    if (askedAt - begunAt >= updateMillis) {
      begunAt = askedAt;
      deps.updateMillis().then(
        (millis) => {
          updateMillis = Math.max(pollMillis, millis * (1 + slack));
        },
        () => {
          updateMillis = pollMillis;
        },
      );
    }
    const gatheredFor = askedAt - begunAt;
    return gatheredFor < pollMillis ? pollMillis : Math.max(pollMillis, updateMillis - gatheredFor);
  };
}
