import type { Logger } from '../../interfaces/logger.js';

/** Says which owners' conditions came to a limit in a round: of each owner once, while it lasts. */
export interface LimitWarnings {
  /** `leftOut`: so many topics less than its conditions name does an owner see. */
  truncated(taken: readonly { readonly owner: string; readonly leftOut: number }[]): void;
  /** The conditions of these owners took more time than they may. */
  late(owners: ReadonlySet<string>): void;
}

export function createLimitWarnings(deps: {
  readonly millisPerOwner: number;
  readonly logger: Logger;
}): LimitWarnings {
  const { millisPerOwner, logger } = deps;
  let truncatedBefore: ReadonlySet<string> = new Set();
  let lateBefore: ReadonlySet<string> = new Set();

  return {
    truncated(taken) {
      const now = taken.filter(({ leftOut }) => leftOut > 0);
      for (const { owner, leftOut } of now) {
        if (truncatedBefore.has(owner)) continue;
        logger.warn(
          { event: 'alerts.topics_limited', owner, leftOut },
          'conditions of an owner see fewer topics than they name',
        );
      }
      truncatedBefore = new Set(now.map(({ owner }) => owner));
    },
    late(owners) {
      for (const owner of owners) {
        if (lateBefore.has(owner)) continue;
        logger.warn(
          { event: 'alerts.time_limited', owner, millisPerOwner },
          'conditions of an owner take more time than they may; they are evaluated in turn, over several rounds',
        );
      }
      lateBefore = owners;
    },
  };
}
