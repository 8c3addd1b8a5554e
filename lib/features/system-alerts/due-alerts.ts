import type { AlertGroup } from './alert-groups.js';
import { evaluationOrder } from './evaluation-order.js';
import type { LiveAlert } from './live-alert.js';

/** Alerts that are due in the next round, in the order in which they are evaluated. */
export interface DueAlerts {
  /** The same groups as in the round before, while the same alerts are due. */
  groups(): readonly AlertGroup[];
  /** The stops of an alert, or that it waits, have changed: which are due, and when, is found out anew. */
  changed(): void;
  /** Tells which owners' conditions took more time than they may in this round, so that some wait for their turn. */
  late(owners: ReadonlySet<string>): void;
}

/** `present` gives the same array as before while no alert is saved or deleted. */
export function createDueAlerts(present: () => readonly LiveAlert[]): DueAlerts {
  let all: readonly LiveAlert[] = [];
  let groups: readonly AlertGroup[] | undefined;
  let lateOwners: ReadonlySet<string> = new Set();

  return {
    groups() {
      if (groups && all === present()) return groups;
      all = present();
      groups = evaluationOrder(all, (userName) => lateOwners.has(userName));
      return groups;
    },
    changed() {
      groups = undefined;
    },
    late(owners) {
      if (owners.size > 0 || lateOwners.size > 0) groups = undefined;
      lateOwners = owners;
    },
  };
}
