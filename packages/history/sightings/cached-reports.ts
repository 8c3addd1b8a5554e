import type { Clock } from 'headgate/driver-kit';
import { isOver, type Sighting } from './sighting.js';
import type { StoredReports } from './stored-reports.js';

/**
 * What was last seen of each application. A cluster that was restarted may have forgotten applications that
 * run: those are unknown, not ended, and are told as they were, with the time of that. One that forgot ended ones takes
 * nothing from how they ended.
 */
export interface CachedReports<S extends Sighting> {
  see(sightings: readonly S[]): void;
  /** The cluster said that it does not know this one. */
  forget(appId: string): void;
  /** There is nothing left of it. */
  drop(appId: string): void;
  get(appId: string): S | undefined;
  /** Seen running, and not among these. */
  missing(among: ReadonlySet<string>): S[];
  /** Seen at its end, and not among these. */
  ended(among: ReadonlySet<string>): S[];
  /** Seen running, and not asked for since it was found to be forgotten. */
  isWorthAsking(appId: string): boolean;
}

/** Milliseconds. */
const askAgain = 30_000;

export function createCachedReports<S extends Sighting>({
  limits,
  clock,
  kept,
}: {
  readonly limits: { readonly sightings: number; readonly forgottenMillis: number };
  readonly clock: Clock;
  readonly kept: StoredReports<S>;
}): CachedReports<S> {
  const seen = new Map(kept.earlier.map((sighting) => [sighting.report.id, sighting]));
  /** Id to when the manager last said so. */
  const forgotten = new Map<string, number>();

  const isOld = ({ report }: Sighting) => clock.now() - report.observedAt > limits.forgottenMillis;

  function drop(appId: string): void {
    seen.delete(appId);
    forgotten.delete(appId);
    kept.drop(appId);
  }

  return {
    see(sightings) {
      for (const sighting of sightings) {
        const { id } = sighting.report;
        forgotten.delete(id);
        // The newest last.
        seen.delete(id);
        seen.set(id, sighting);
        kept.keep(sighting);
      }
      for (const id of seen.keys()) {
        if (seen.size <= limits.sightings) break;
        drop(id);
      }
    },
    forget(appId) {
      const sighting = seen.get(appId);
      if (!sighting || isOver(sighting)) return;
      if (isOld(sighting)) drop(appId);
      else forgotten.set(appId, clock.monotonic());
    },
    drop,
    get: (appId) => seen.get(appId),
    missing: (among) =>
      [...seen.values()].filter(
        (sighting) => !among.has(sighting.report.id) && !isOver(sighting) && !isOld(sighting),
      ),
    ended: (among) =>
      [...seen.values()].filter((sighting) => !among.has(sighting.report.id) && isOver(sighting)),
    isWorthAsking: (appId) => clock.monotonic() - (forgotten.get(appId) ?? -Infinity) > askAgain,
  };
}
