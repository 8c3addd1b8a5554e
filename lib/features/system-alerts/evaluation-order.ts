import { type AlertGroup, alertGroups } from './alert-groups.js';
import type { LiveAlert } from './live-alert.js';

/** After so many in a row a condition is left alone until it is saved again. */
export const maxStops = 3;

/**
 * Gives the alerts that are due, in the order in which they are evaluated. Owners whose conditions take too much come last:
 * they take no time from owners who kept to theirs. Of one owner those come first that wait longest, and last what had to be
 * stopped.
 *
 * `isLate`: whether conditions of this owner were skipped in the round before.
 */
export function evaluationOrder(
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
