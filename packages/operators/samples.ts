import * as z from 'zod';

// Quantiles of numbers: exact up to a number of values, beyond it from a histogram whose buckets grow by 2 %
// (DDSketch: https://arxiv.org/abs/1908.10693), so that a quantile is never off by more than 1 % of its value and
// the memory stays bounded whatever comes. Both forms can be merged.

export const Samples = z.object({
  count: z.number(),
  min: z.number(),
  max: z.number(),
  /** All values, as long as there are few. */
  values: z.array(z.number()).optional(),
  /** Bucket to number of values: negative buckets for negative values, 0 for those next to nothing. */
  buckets: z.map(z.number(), z.number()).optional(),
});
export type Samples = z.output<typeof Samples>;

const relativeError = 0.01;
const growth = (1 + relativeError) / (1 - relativeError);
const logGrowth = Math.log(growth);
const smallest = 1e-9;
const largest = 1e18;
const firstExponent = Math.ceil(Math.log(smallest) / logGrowth);

function bucketOf(value: number): number {
  const size = Math.min(Math.abs(value), largest);
  if (size < smallest) return 0;
  const bucket = Math.ceil(Math.log(size) / logGrowth) - firstExponent + 1;
  return value < 0 ? -bucket : bucket;
}

function middleOf(bucket: number): number {
  if (bucket === 0) return 0;
  const size = (2 * growth ** (Math.abs(bucket) - 1 + firstExponent)) / (growth + 1);
  return bucket < 0 ? -size : size;
}

export const createSamples = (): Samples => ({
  count: 0,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
  values: [],
});

function toBuckets(samples: Samples): Map<number, number> {
  if (samples.buckets) return samples.buckets;
  const buckets = new Map<number, number>();
  for (const value of samples.values ?? []) bump(buckets, bucketOf(value), 1);
  samples.buckets = buckets;
  delete samples.values;
  return buckets;
}

const bump = (buckets: Map<number, number>, bucket: number, by: number) =>
  buckets.set(bucket, (buckets.get(bucket) ?? 0) + by);

/** `value` is a finite number; `maxExact` is how many are kept one by one. */
export function addSample(samples: Samples, value: number, maxExact: number): void {
  samples.count += 1;
  if (value < samples.min) samples.min = value;
  if (value > samples.max) samples.max = value;
  if (samples.values && samples.values.length < maxExact) samples.values.push(value);
  else bump(toBuckets(samples), bucketOf(value), 1);
}

export function mergeSamples(into: Samples, from: Samples, maxExact: number): void {
  into.count += from.count;
  into.min = Math.min(into.min, from.min);
  into.max = Math.max(into.max, from.max);
  if (into.values && from.values && into.values.length + from.values.length <= maxExact) {
    for (const value of from.values) into.values.push(value);
    return;
  }
  const buckets = toBuckets(into);
  for (const value of from.values ?? []) bump(buckets, bucketOf(value), 1);
  for (const [bucket, count] of from.buckets ?? []) bump(buckets, bucket, count);
}

/** The smallest value that at least the fraction `q` (0 to 1) of all values does not exceed; `null` without values. */
export function quantiles(samples: Samples, fractions: readonly number[]): (number | null)[] {
  if (samples.count === 0) return fractions.map(() => null);
  const rankOf = (fraction: number) => Math.max(1, Math.ceil(fraction * samples.count));
  if (samples.values) {
    const sorted = Float64Array.from(samples.values).sort();
    return fractions.map((fraction) => sorted[rankOf(fraction) - 1] ?? null);
  }
  const buckets = [...(samples.buckets ?? [])].sort(([a], [b]) => a - b);
  return fractions.map((fraction) => {
    let left = rankOf(fraction);
    for (const [bucket, count] of buckets) {
      left -= count;
      if (left <= 0) return Math.min(samples.max, Math.max(samples.min, middleOf(bucket)));
    }
    return samples.max;
  });
}
