import type { ApplicationRecord } from '../store/record.js';

/** `docs/decisions.md`, Ended applications stay a month; the property may say otherwise, in milliseconds. */
const retentionProperty = 'platform.gateway.appDirectoryRetentionMillis';
const defaultRetention = 30 * 24 * 3_600_000;

interface RetentionDeps {
  /** Of the applications that have ended. */
  readonly records: () => readonly ApplicationRecord[];
  readonly maxApplications: number;
}

/** Which of the applications that have ended may be forgotten. */
interface Retention {
  /** The application is not forgotten before the returned function is called. */
  hold(appId: string): () => void;
  /** Those whose time is over. */
  expired(now: number, property: ((name: string) => string | undefined) | undefined): string[];
  /** Those that have to make room for one more. */
  displaced(): string[];
}

export function createRetention({ records, maxApplications }: RetentionDeps): Retention {
  const holds = new Set<{ readonly id: string }>();
  const isHeld = (appId: string) => [...holds].some(({ id }) => id === appId);

  return {
    hold(id) {
      const hold = { id };
      holds.add(hold);
      return () => holds.delete(hold);
    },
    expired(now, property) {
      const retention = Number(property?.(retentionProperty) ?? defaultRetention);
      const before = now - retention;
      return records().flatMap(({ id, finishedTime }) => (finishedTime < before && !isHeld(id) ? [id] : []));
    },
    displaced() {
      const known = [...records()];
      return known
        .sort((one, other) => one.finishedTime - other.finishedTime)
        .slice(0, Math.max(0, known.length + 1 - maxApplications))
        .map(({ id }) => id)
        .filter((id) => !isHeld(id));
    },
  };
}
