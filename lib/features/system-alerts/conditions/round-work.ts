import type { ConditionResult, ConditionRound } from './condition.js';
import type { RoundProcess } from './round-process.js';

/** A round under way: what came of its conditions so far, and whose may go on. */
export interface RoundWork {
  readonly results: readonly ConditionResult[];
  /** So many are not evaluated yet. */
  readonly left: number;
  /** Tells a process what is left. */
  tell(process: RoundProcess): void;
  /** The same for what is behind the condition that is evaluated now, should that bring its process down. */
  tellBehind(): (process: RoundProcess) => void;
  /** Results of the next conditions; more than are left are not looked at. */
  add(results: readonly ConditionResult[]): void;
  /** The condition that is evaluated now brought its process down: it took all that its owner has. */
  stopped(message: string): void;
  skipRest(): void;
  /** Its process was ended from outside. Returns whether that is the second time at the same condition. */
  endedFromOutside(): boolean;
}

export function createRoundWork(round: ConditionRound): RoundWork {
  const owners = round.snapshots.flatMap(({ owner, conditions }) => conditions.map(() => owner));
  const results: ConditionResult[] = [];
  const endedAt = new Set<number>();
  /** Owners whose conditions took all their time, as far as only this process knows. */
  let usedUp: ReadonlySet<string> = new Set();

  /** The condition that is evaluated now takes all that its owner has. */
  function usedUpBehind(): ReadonlySet<string> {
    const owner = owners[results.length];
    return owner === undefined ? usedUp : new Set([...usedUp, owner]);
  }

  return {
    results,
    get left() {
      return owners.length - results.length;
    },
    tell: (process) => process.tell(round, results.length, usedUp),
    tellBehind() {
      const from = results.length + 1;
      const behind = usedUpBehind();
      return (process) => process.tell(round, from, behind);
    },
    add(more) {
      results.push(...more.slice(0, owners.length - results.length));
    },
    stopped(message) {
      usedUp = usedUpBehind();
      results.push({ is: 'stopped', message });
    },
    skipRest() {
      while (results.length < owners.length) results.push({ is: 'skipped', because: 'others' });
    },
    endedFromOutside() {
      const isAgain = endedAt.has(results.length);
      endedAt.add(results.length);
      return isAgain;
    },
  };
}
