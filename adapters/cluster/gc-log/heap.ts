import type { GcCollection } from '../../../lib/index.js';

/** Sizes in bytes, milliseconds. */
export interface Measured {
  readonly startTime: number;
  readonly before: number;
  readonly after: number;
  readonly capacity: number;
  readonly duration: number;
}

export const collection = ({ startTime, before, after, capacity, duration }: Measured): GcCollection => ({
  startTime,
  type: 'GC',
  occupiedHeapMemoryBefore: before,
  occupiedHeapMemoryAfter: after,
  heapCapacity: capacity,
  heapReductionPercentage: before > 0 ? Math.round(((before - after) / before) * 10_000) / 100 : 0,
  duration,
});

const units: Readonly<Record<string, number>> = { B: 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };

/** `12M`, `1.5G`. */
export const bytesOf = (amount: string, unit: string): number =>
  Math.round(Number(amount) * (units[unit] ?? 1));

/** `2026-11-21T10:00:00.123+0000`, as JVMs write it; `undefined` for what is no time. */
export function timeOf(stamp: string): number | undefined {
  const time = Date.parse(stamp.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
  return Number.isNaN(time) ? undefined : time;
}
