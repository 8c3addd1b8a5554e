import type { Clock } from 'headgate/driver-kit';
import type { Sighting } from './reports.js';
import type { StoredReports } from './stored-reports.js';

/**
 * What was last seen of each application. A resource manager that was restarted may have forgotten applications that
 * run: those are unknown, not ended, and are told as they were, with the time of that. One that forgot ended ones takes
 * nothing from how they ended.
 */
interface CachedReports {
  see(sightings: readonly Sighting[]): void;
  /** The manager said that it does not know this one. */
  forget(appId: string): void;
  /** There is nothing left of it. */
  drop(appId: string): void;
  get(appId: string): Sighting | undefined;
  /** Seen running, and not among these. */
  missing(among: ReadonlySet<string>): Sighting[];
  /** Seen at its end, and not among these. */
  ended(among: ReadonlySet<string>): Sighting[];
  /** Seen running, and not asked for since it was found to be forgotten. */
  isWorthAsking(appId: string): boolean;
}

/** Milliseconds. */
const askAgain = 30_000;

export function createCachedReports({
  limits,
  clock,
  kept,
}: {
  readonly limits: { readonly sightings: number; readonly forgottenMillis: number };
  readonly clock: Clock;
  readonly kept: StoredReports;
}): CachedReports {
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

const isOver = ({ report }: Sighting): boolean => report.finalStatus !== 'UNDEFINED';
