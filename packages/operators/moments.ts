import * as z from 'zod';

/** What count, sum, average, minimum and maximum are made of; two of them can be merged. */
export const Moments = z.object({ count: z.number(), sum: z.number(), min: z.number(), max: z.number() });
export type Moments = z.output<typeof Moments>;

export const createMoments = (): Moments => ({
  count: 0,
  sum: 0,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
});

export function addMoment(moments: Moments, value: number): void {
  moments.count += 1;
  moments.sum += value;
  if (value < moments.min) moments.min = value;
  if (value > moments.max) moments.max = value;
}

export function mergeMoments(into: Moments, from: Moments): void {
  into.count += from.count;
  into.sum += from.sum;
  into.min = Math.min(into.min, from.min);
  into.max = Math.max(into.max, from.max);
}
