import type { Clock } from '../../../../lib/index.js';
import type { Sighting } from './reports.js';

/**
 * What was last seen of each application. A resource manager that was restarted may have forgotten applications that
 * run: those are unknown, not ended, and are told as they were, with the time of that.
 */
export interface Sightings {
  see(sightings: readonly Sighting[]): void;
  /** The manager said that it does not know this one. */
  forget(appId: string): void;
  get(appId: string): Sighting | undefined;
  /** Seen running, and not among these. */
  missing(among: ReadonlySet<string>): Sighting[];
  /** Seen running, and not asked for since it was found to be forgotten. */
  isWorthAsking(appId: string): boolean;
}

/** Milliseconds. */
const askAgain = 30_000;

export function createSightings({
  limits,
  clock,
}: {
  readonly limits: { readonly sightings: number; readonly forgottenMillis: number };
  readonly clock: Clock;
}): Sightings {
  const seen = new Map<string, Sighting>();
  /** Id to when the manager last said so. */
  const forgotten = new Map<string, number>();

  const isOld = ({ report }: Sighting) => clock.now() - report.observedAt > limits.forgottenMillis;

  function drop(appId: string): void {
    seen.delete(appId);
    forgotten.delete(appId);
  }

  return {
    see(sightings) {
      for (const sighting of sightings) {
        const { id } = sighting.report;
        drop(id);
        seen.set(id, sighting);
      }
      for (const id of seen.keys()) {
        if (seen.size <= limits.sightings) break;
        drop(id);
      }
    },
    forget(appId) {
      const sighting = seen.get(appId);
      if (!sighting || isOver(sighting) || isOld(sighting)) drop(appId);
      else forgotten.set(appId, clock.monotonic());
    },
    get: (appId) => seen.get(appId),
    missing: (among) =>
      [...seen.values()].filter(
        (sighting) => !among.has(sighting.report.id) && !isOver(sighting) && !isOld(sighting),
      ),
    isWorthAsking: (appId) => clock.monotonic() - (forgotten.get(appId) ?? -Infinity) > askAgain,
  };
}

const isOver = ({ report }: Sighting): boolean => report.finalStatus !== 'UNDEFINED';
