import type { PhysicalOperator } from './physical.js';

/**
 * One container per operator, but for those that belong together. Each group stays where the first of its operators
 * was that finds its place free. Gives the next free number.
 */
export function place(
  operators: readonly PhysicalOperator[],
  together: readonly (readonly [PhysicalOperator, PhysicalOperator])[],
  before: ReadonlyMap<string, PhysicalOperator>,
  firstFree: number,
): number {
  const groups = groupsOf(operators, together);
  const taken = new Set<number>();
  let free = firstFree;
  for (const group of groups) {
    const known = group.flatMap(({ key }) => before.get(key)?.slot ?? []).find((slot) => !taken.has(slot));
    const slot = known ?? free++;
    taken.add(slot);
    for (const operator of group) operator.slot = slot;
  }
  return free;
}

/** In the order of their first operators. */
function groupsOf(
  operators: readonly PhysicalOperator[],
  together: readonly (readonly [PhysicalOperator, PhysicalOperator])[],
): PhysicalOperator[][] {
  const leader = new Map(operators.map((operator) => [operator, operator]));
  const find = (operator: PhysicalOperator): PhysicalOperator => {
    let found = operator;
    for (let next = leader.get(found); next && next !== found; next = leader.get(found)) found = next;
    return found;
  };
  for (const [one, other] of together) leader.set(find(other), find(one));
  const groups = new Map<PhysicalOperator, PhysicalOperator[]>();
  for (const operator of operators) {
    const first = find(operator);
    const group = groups.get(first);
    if (group) group.push(operator);
    else groups.set(first, [operator]);
  }
  return [...groups.values()];
}
