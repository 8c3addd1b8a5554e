/** What the conditions of each owner may still take of one round. */
interface OwnerBudgets {
  /** Never for conditions of nobody. */
  isUsedUp(owner: string | undefined): boolean;
  /** All that ran since the last time was this owner's; `atLeast`: so many milliseconds it counts in any case. */
  charge(owner: string | undefined, atLeast?: number): void;
}

export interface Clocks {
  /** Processor time of the whole process, milliseconds. */
  ranMillis(): number;
  now(): number;
}

/** `usedUp`: owners who have nothing left from the beginning. Absent `ownerMillis`: there is no bound. */
export function createOwnerBudgets(
  { ownerMillis = Number.POSITIVE_INFINITY, usedUp = [] }: OwnerBudgetsOptions,
  clocks: Clocks,
): OwnerBudgets {
  const spent = new Map(usedUp.map((owner) => [owner, ownerMillis]));
  const marked = () => ({ ran: clocks.ranMillis(), at: clocks.now() });
  let mark = marked();
  return {
    isUsedUp: (owner) => owner !== undefined && (spent.get(owner) ?? 0) >= ownerMillis,
    charge(owner, atLeast = 0) {
      const before = mark;
      mark = marked();
      if (owner === undefined) return;
      // What runs scripts is one thread; the runtime's others may be at work for somebody else.
      const ran = Math.min(mark.ran - before.ran, mark.at - before.at);
      spent.set(owner, (spent.get(owner) ?? 0) + Math.max(ran, atLeast));
    },
  };
}

interface OwnerBudgetsOptions {
  readonly ownerMillis?: number;
  readonly usedUp?: readonly string[];
}
