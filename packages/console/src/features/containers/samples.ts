import type { Sample } from '../../charts/series.js';
import type { Row } from './rows.js';

/** One look at a container. */
export interface Look {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly freeMB: number | undefined;
  /** Milliseconds in all since it began. */
  readonly gcMillis: number | undefined;
}

interface Kept {
  readonly containerId: string;
  readonly timestamp: number;
  readonly stats: {
    readonly memoryMBFree?: number | undefined;
    readonly gcCollectionTime?: number | undefined;
  };
}

/** What was recorded of one container. */
export const looksAt = (stats: readonly Kept[], containerId: string): readonly Look[] =>
  stats
    .filter((kept) => kept.containerId === containerId)
    .map(({ timestamp, stats: { memoryMBFree, gcCollectionTime } }) => ({
      at: timestamp,
      freeMB: memoryMBFree,
      gcMillis: gcCollectionTime,
    }));

/** One that has not reported yet is no look. */
export const lookOf = ({ lastHeartbeat, memoryMBFree, gcCollectionTime }: Row): Look | undefined =>
  lastHeartbeat > 0 ? { at: lastHeartbeat, freeMB: memoryMBFree, gcMillis: gcCollectionTime } : undefined;

/** Used, allocated. */
export const memorySamples = (looks: readonly Look[], allocatedMB: number | undefined): readonly Sample[] =>
  looks.map(({ at, freeMB }) => ({
    at,
    values: [
      freeMB === undefined || allocatedMB === undefined ? undefined : Math.max(0, allocatedMB - freeMB),
      allocatedMB,
    ],
  }));

/** Share of the time since the look before. A count that falls is another process: nothing is known of the time between. */
export const gcSamples = (looks: readonly Look[]): readonly Sample[] =>
  looks.slice(1).map(({ at, gcMillis }, index) => {
    const before = looks[index];
    const spent = (gcMillis ?? Number.NaN) - (before?.gcMillis ?? Number.NaN);
    const passed = at - (before?.at ?? at);
    return { at, values: [spent >= 0 && passed > 0 ? Math.min(1, spent / passed) : undefined] };
  });

/** History, then what came since; the newest `most` of them. */
export function continuedLooks(
  history: readonly Look[],
  live: readonly Look[],
  most: number,
): readonly Look[] {
  const end = history.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
  return [...history, ...live.filter(({ at }) => at > end)].slice(-most);
}
