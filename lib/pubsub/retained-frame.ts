import type { Frame, Framer } from './frame.js';

/**
 * The newest frame of a snapshot, for those who join. It is copied into memory that is used again and again: buffers and
 * texts that lived from one tick to the next would each time grow old enough for the collector's costly rounds.
 */
interface RetainedFrame {
  keep(frame: Frame): void;
  /** Makes the frame in place, while nobody is to get it. */
  make(framer: Framer, data: Buffer | string): void;
  /** For those who join: a frame with a buffer that they share; `undefined` before the first was kept. */
  frame(): Frame | undefined;
  /** The same with a buffer of its own. */
  copy(): Frame | undefined;
}

export function createRetainedFrame(): RetainedFrame {
  let store = Buffer.alloc(0);
  let kept: Frame | undefined;
  /** What joiners since then share. */
  let shared: Frame | undefined;
  const copy = (): Frame | undefined => kept && { ...kept, bytes: Buffer.from(kept.bytes) };
  const room = (length: number): Buffer => {
    if (length > store.length || length < store.length / 4) store = Buffer.allocUnsafeSlow(roomFor(length));
    return store.subarray(0, length);
  };
  return {
    keep(frame) {
      const bytes = room(frame.bytes.length);
      bytes.set(frame.bytes);
      kept = { ...frame, bytes };
      shared = undefined;
    },
    make(framer, data) {
      kept = framer.frame(data, room);
      shared = undefined;
    },
    frame() {
      shared ??= copy();
      return shared;
    },
    copy,
  };
}

/** Snapshots change their length a little all the time. */
const roomFor = (length: number): number => Math.ceil(length * 1.25);
