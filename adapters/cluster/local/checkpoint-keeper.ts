import { type Commit, commitOf } from './checkpoint-ledger.js';
import type { LayoutHolder } from './layout.js';
import type { OperatorState } from './physical-state.js';
import type { Checkpointed } from './protocol.js';
import type { SavedState } from './record.js';
import { monotonicMillis, type WindowClock } from './windows.js';

export interface CheckpointKeeperDeps {
  readonly holder: LayoutHolder;
  readonly clock: WindowClock;
  /** The newest common state. Resolves whether the record that names it is durable; `undefined`: later. */
  readonly keep: (saved: SavedState) => Promise<boolean> | undefined;
}

/** Gathers the operators' checkpoints, keeps the newest state that all have, and lets go of what is older. */
export interface CheckpointKeeper {
  add(state: OperatorState, message: Checkpointed): void;
  /** A replay buffer fills up: a checkpoint that all can still reach lets it go. */
  hurry(): void;
}

export function createCheckpointKeeper({ holder, clock, keep }: CheckpointKeeperDeps): CheckpointKeeper {
  let committed = -1;
  let obsolete: Commit['obsolete'][number][] = [];

  function commit(): void {
    const found = commitOf(holder.layout.operators, committed);
    if (!found) return;
    committed = found.saved.window;
    obsolete.push(...found.obsolete);
    for (const slot of holder.layout.slots)
      slot.agent?.send({ type: 'committed', window: committed, remove: [] });
    const kept = keep(found.saved);
    if (kept) removeWhenKept(kept);
  }

  /** Files of older checkpoints go only when the record that no longer names them is durable. */
  async function removeWhenKept(kept: Promise<boolean>): Promise<void> {
    const files = obsolete;
    obsolete = [];
    if (!(await kept)) return;
    for (const slot of holder.layout.slots) {
      const remove = files.flatMap(([number, file]) => (number === slot.number ? [file] : []));
      if (remove.length > 0) slot.agent?.send({ type: 'committed', window: committed, remove });
    }
  }

  return {
    add(state, { window, file, startedAt, millis, finished }) {
      state.checkpoints.set(window, file);
      state.statistics.checkpointed(startedAt, millis);
      if (finished) {
        state.finalWindow = window;
        state.active = false;
      }
      commit();
    },
    hurry() {
      const newest = Math.floor((monotonicMillis() - clock.monotonicMillis) / clock.widthMillis);
      const reached = holder.layout.operators.map(({ statistics }) => statistics.window);
      const window = Math.max(newest, ...reached) + 2;
      for (const slot of holder.layout.slots) slot.agent?.send({ type: 'checkpointAt', window });
    },
  };
}
