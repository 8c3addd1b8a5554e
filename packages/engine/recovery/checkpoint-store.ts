import type { LayoutHolder } from '../layout/layout.js';
import type { OperatorState, Slot } from '../layout/physical-state.js';
import { monotonicMillis, type WindowClock } from '../model/windows.js';
import type { Checkpointed } from '../protocol/protocol.js';
import type { SavedState } from '../store/record.js';
import { type Commit, commitOf } from './checkpoint-commit.js';

interface CheckpointStoreDeps {
  readonly holder: LayoutHolder;
  readonly clock: WindowClock;
  /**
   * The newest common state. Resolves whether the record that names it is durable; `undefined`: later. `urgent`: at
   * once.
   */
  readonly keep: (saved: SavedState, urgent: boolean) => Promise<boolean> | undefined;
}

/** Gathers the operators' checkpoints, keeps the newest state that all have, and lets go of what is older. */
export interface CheckpointStore {
  add(state: OperatorState, message: Checkpointed): void;
  /** The layout is another one: the common state is that of its operators. */
  changed(): void;
  /** Keeps the common state at once. Nobody needs the states of these any more. Resolves whether it could. */
  keepNow(gone: readonly OperatorState[]): Promise<boolean>;
  /** A replay buffer fills up: a checkpoint that all can still reach lets it go. */
  requestCheckpoint(): void;
}

export function createCheckpointStore({ holder, clock, keep }: CheckpointStoreDeps): CheckpointStore {
  let committed = -1;
  let obsolete: Commit['obsolete'][number][] = [];

  function commit(reported: number, urgent = false): Promise<boolean> | undefined {
    const found = commitOf(holder.layout.operators, committed, reported);
    if (!found) return undefined;
    committed = found.saved.window;
    obsolete.push(...found.obsolete);
    for (const slot of holder.layout.slots)
      slot.agent?.send({ type: 'committed', window: committed, remove: [] });
    const kept = keep(found.saved, urgent);
    if (kept) removeWhenKept(kept);
    return kept;
  }

  /** Files of older checkpoints go only when the record that no longer names them is durable. */
  async function removeWhenKept(kept: Promise<boolean>): Promise<void> {
    const removed = obsolete;
    obsolete = [];
    if (!(await kept)) return;
    const { slots, slot } = holder.layout;
    const files = new Map<Slot, string[]>();
    for (const [number, file] of removed) {
      // All of them write into one directory: another one removes what a container left that is gone.
      const remover = slot(number)?.agent ? slot(number) : slots.find(({ agent }) => agent);
      if (!remover) continue;
      const known = files.get(remover);
      if (known) known.push(file);
      else files.set(remover, [file]);
    }
    for (const [{ agent }, remove] of files) agent?.send({ type: 'committed', window: committed, remove });
  }

  return {
    add(state, { window, file, startedAt, millis, finished }) {
      state.checkpoints.set(window, file);
      state.statistics.checkpointed(startedAt, millis);
      if (finished) {
        state.finalWindow = window;
        state.active = false;
      }
      commit(window);
    },
    changed() {
      commit(committed);
    },
    async keepNow(gone) {
      for (const { operator, checkpoints } of gone)
        for (const file of checkpoints.values()) if (file !== undefined) obsolete.push([operator.slot, file]);
      return (await commit(committed, true)) ?? false;
    },
    requestCheckpoint() {
      const newest = Math.floor((monotonicMillis() - clock.monotonicMillis) / clock.widthMillis);
      const reached = holder.layout.operators.map(({ statistics }) => statistics.window);
      const window = Math.max(newest, ...reached) + 2;
      for (const slot of holder.layout.slots) slot.agent?.send({ type: 'checkpointAt', window });
    },
  };
}
