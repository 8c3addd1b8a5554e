/** Windows that an operator can go on from. */
interface Restorable {
  /** Window to file of the state; `undefined` for an operator without state. The one that it began after is there from the start. */
  readonly checkpoints: ReadonlyMap<number, string | undefined>;
  /** It ended for good in this window. */
  readonly finalWindow: number | undefined;
}

const covers = (operator: Restorable, window: number): boolean =>
  operator.checkpoints.has(window) || (operator.finalWindow !== undefined && window >= operator.finalWindow);

/** The newest window that all of them can go on from. */
export function commonWindow(operators: readonly Restorable[]): number {
  const candidates = new Set(operators.flatMap(({ checkpoints }) => [...checkpoints.keys()]));
  for (const window of [...candidates].sort((one, other) => other - one))
    if (operators.every((operator) => covers(operator, window))) return window;
  return -1;
}

/** The checkpoint that holds an operator's state after this window: its newest that is not newer. */
export function checkpointAt(operator: Restorable, window: number): number {
  let found = -1;
  for (const candidate of operator.checkpoints.keys())
    if (candidate <= window && candidate > found) found = candidate;
  return found;
}

/** The containers and all that read from them, directly or not: those that have to roll back with them. */
export function affectedBy(
  slots: Iterable<number>,
  arrows: readonly (readonly [from: number, to: number])[],
): ReadonlySet<number> {
  const found = new Set(slots);
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const [from, to] of arrows) if (found.has(from)) found.add(to);
  }
  return found;
}
