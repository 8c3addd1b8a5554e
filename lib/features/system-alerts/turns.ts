import { type AlertGroup, alertGroups } from './alert-groups.js';
import type { LiveAlert } from './alert-registry.js';

/** In a row, after which a condition is left alone until it is saved again. */
export const maxStops = 3;

/**
 * Alerts that are due, in the order in which they are evaluated. Owners whose conditions take too much come last: they take
 * the time of nobody who kept to his. Of one owner those come first that wait longest, and last what had to be stopped.
 *
 * `isLate`: whether conditions of this owner were skipped in the round before.
 */
export function turns(
  all: readonly LiveAlert[],
  isLate: (userName: string) => boolean,
): readonly AlertGroup[] {
  const due = all.filter(({ state, stops }) => state.is !== 'disabled' && stops < maxStops);
  const isCalm = due.every(({ stops, waitsSince }) => stops === 0 && waitsSince === undefined);
  if (isCalm) return alertGroups(due);
  const last = new Set(
    due.flatMap(({ alert: { owner }, stops }) =>
      stops > 0 || isLate(owner.userName) ? [owner.userName] : [],
    ),
  );
  const isLast = ({ alert }: LiveAlert): number => Number(last.has(alert.owner.userName));
  return alertGroups(
    due.toSorted((a, b) => isLast(a) - isLast(b) || waited(a) - waited(b) || a.stops - b.stops),
  );
}

const waited = ({ waitsSince = Number.MAX_SAFE_INTEGER }: LiveAlert): number => waitsSince;
