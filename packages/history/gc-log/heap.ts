import type { GcCollection } from 'headgate/driver-kit';

/** Sizes in bytes, times in milliseconds. */
interface Measured {
  readonly startTime: number;
  readonly before: number;
  readonly after: number;
  readonly capacity: number;
  readonly duration: number;
}

/** As the API tells it: sizes in KB, the duration in seconds. A heap that grew meanwhile was reduced by nothing. */
export const collection = ({ startTime, before, after, capacity, duration }: Measured): GcCollection => ({
  startTime: Math.round(startTime),
  type: 'GC',
  occupiedHeapMemoryBefore: kilobytes(before),
  occupiedHeapMemoryAfter: kilobytes(after),
  heapCapacity: kilobytes(capacity),
  heapReductionPercentage: before > after ? Math.round(((before - after) / before) * 10_000) / 100 : 0,
  duration: Math.round(duration * 1000) / 1e6,
});

const kilobytes = (bytes: number) => Math.round(bytes / 1024);

const units: Readonly<Record<string, number>> = { B: 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };

/** `12M`, `1.5G`. */
export const bytesOf = (amount: string, unit: string): number =>
  Math.round(Number(amount) * (units[unit] ?? 1));

/** `2026-11-21T10:00:00.123+0000`, as JVMs write it; `undefined` for what is no time. */
export function timeOf(stamp: string): number | undefined {
  const time = Date.parse(stamp.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
  return Number.isNaN(time) ? undefined : time;
}
