import type { PhysOperator } from 'headgate/driver-kit';
import type { OperatorState } from '../layout/physical-state.js';
import { rounded } from '../layout/statistics.js';

/**
 * The counters of each operator, those of its partitions added up: all of them are totals. Unifiers have names of their
 * own, and so have theirs.
 */
export function countersByName(
  operators: readonly Pick<OperatorState, 'operator' | 'statistics'>[],
): Record<string, Record<string, number>> {
  const byName = new Map<string, Map<string, number>>();
  for (const { operator, statistics } of operators)
    for (const [counter, value] of Object.entries(statistics.counters)) {
      const totals = byName.get(operator.name) ?? new Map<string, number>();
      totals.set(counter, (totals.get(counter) ?? 0) + value);
      byName.set(operator.name, totals);
    }
  return Object.fromEntries([...byName].map(([name, totals]) => [name, Object.fromEntries(totals)]));
}

/** Counter name to avg, max, min and sum over the partitions. */
export function countersOf(partitions: readonly PhysOperator[]): Record<string, unknown> | undefined {
  const values = new Map<string, number[]>();
  for (const { counters = {} } of partitions)
    for (const [name, value] of Object.entries(counters))
      if (typeof value === 'number') values.set(name, [...(values.get(name) ?? []), value]);
  if (values.size === 0) return undefined;
  return Object.fromEntries(
    [...values].map(([name, numbers]) => {
      const sum = numbers.reduce((total, value) => total + value, 0);
      return [
        name,
        { avg: rounded(sum / numbers.length), max: Math.max(...numbers), min: Math.min(...numbers), sum },
      ];
    }),
  );
}
