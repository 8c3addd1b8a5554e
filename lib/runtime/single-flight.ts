import type { Clock } from '../interfaces/clock.js';

/** One reading shared by all who ask at about the same time: topics of one tick cost their source one call. */
interface SingleFlight<V> {
  /**
   * What a reading gave that began at most `maxAgeMillis` ago, or is still under way; otherwise reads anew. A failed
   * reading is shared by those who wait for it and never kept.
   */
  get(maxAgeMillis: number): Promise<V>;
}

export function singleFlight<V>(clock: Clock, read: () => Promise<V>): SingleFlight<V> {
  let last: { readonly startedAt: number; readonly value: Promise<V>; pending: boolean } | undefined;
  return {
    get(maxAgeMillis) {
      const now = clock.monotonic();
      if (last && (last.pending || now - last.startedAt <= maxAgeMillis)) return last.value;
      const reading = { startedAt: now, value: read(), pending: true };
      last = reading;
      reading.value.then(
        () => {
          reading.pending = false;
        },
        () => {
          if (last === reading) last = undefined;
        },
      );
      return reading.value;
    },
  };
}
