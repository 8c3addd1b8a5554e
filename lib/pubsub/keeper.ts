import type { Frame } from './frame.js';

/**
 * The newest frame of a snapshot, for those who join. It is copied into memory that is used again and again: buffers
 * that lived from one tick to the next would each time grow old enough for the collector's costly rounds.
 */
export interface Keeper {
  keep(frame: Frame): void;
  /** A frame with a buffer of its own; `undefined` before the first was kept. */
  frame(): Frame | undefined;
}

export function createKeeper(): Keeper {
  let store = Buffer.alloc(0);
  let kept: Frame | undefined;
  /** What joiners since then share. */
  let copy: Frame | undefined;
  return {
    keep(frame) {
      const { length } = frame.bytes;
      if (length > store.length || length < store.length / 4) store = Buffer.allocUnsafeSlow(roomFor(length));
      store.set(frame.bytes);
      kept = { ...frame, bytes: store.subarray(0, length) };
      copy = undefined;
    },
    frame() {
      copy ??= kept && { ...kept, bytes: Buffer.from(kept.bytes) };
      return copy;
    },
  };
}

/** Snapshots change their length a little all the time. */
const roomFor = (length: number): number => Math.ceil(length * 1.25);
