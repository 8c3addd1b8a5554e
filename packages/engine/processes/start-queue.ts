import type { Slot } from '../layout/physical-state.js';

/**
 * Starts containers, one in each turn of the event loop: starting a process stops it for some milliseconds, and there
 * may be many.
 */
export interface StartQueue {
  /**
   * Starts the container of this slot in its turn, at once when none is waiting; not at all when it is not wanted any
   * more by then. Resolves when its turn is over.
   */
  add(slot: Slot, isWanted: () => boolean): Promise<void>;
  /** What waits is not started any more. */
  clear(): void;
}

interface Waiting {
  readonly isWanted: () => boolean;
  readonly over: Promise<void>;
  readonly end: () => void;
}

export function createStartQueue(start: (slot: Slot) => void): StartQueue {
  const queue = new Map<Slot, Waiting>();
  let turn: NodeJS.Immediate | undefined;

  function startNext(): void {
    turn = undefined;
    const [next] = queue;
    if (!next) return;
    const [slot, { isWanted, end }] = next;
    queue.delete(slot);
    try {
      if (isWanted()) start(slot);
    } catch (error) {
      end();
      throw error;
    }
    turn = setImmediate(() => {
      end();
      startNext();
    });
  }

  return {
    add(slot, isWanted) {
      const known = queue.get(slot);
      if (known) return known.over;
      let end = (): void => {};
      const over = new Promise<void>((resolve) => {
        end = resolve;
      });
      queue.set(slot, { isWanted, over, end });
      if (turn === undefined) startNext();
      return over;
    },
    clear() {
      for (const { end } of queue.values()) end();
      queue.clear();
    },
  };
}
