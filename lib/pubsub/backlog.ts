import type { Frame } from './frame.js';

/**
 * What waits for a socket that can't take more now: of each snapshot topic the newest frame, with the last entries of those
 * that gave way to it; of event topics every frame. The order is that of publishing.
 */
export interface Backlog {
  readonly bytes: number;
  /** Whether an older frame of the topic gave way. */
  add(frame: Frame): boolean;
  /** Forgets what a predicate on the topic refuses. */
  keep(wanted: (topic: string) => boolean): void;
  /** Takes out the oldest frames, at least one, at most `bytes` unless that one is larger. */
  take(bytes: number): Frame[];
}

export function createBacklog(): Backlog {
  // Snapshots are kept under their topic's name, events under themselves.
  const frames = new Map<string | Frame, Frame>();
  let bytes = 0;
  const remove = (key: string | Frame): void => {
    const frame = frames.get(key);
    frames.delete(key);
    bytes -= frame?.bytes.length ?? 0;
  };
  return {
    get bytes() {
      return bytes;
    },
    add(frame) {
      const key = frame.isSnapshot ? frame.topic : frame;
      const skipped = frames.get(key);
      remove(key);
      const next = skipped?.carryInto?.(frame) ?? frame;
      frames.set(key, next);
      bytes += next.bytes.length;
      return skipped !== undefined;
    },
    keep(wanted) {
      for (const [key, frame] of frames) if (!wanted(frame.topic)) remove(key);
    },
    take(limit) {
      const taken: Frame[] = [];
      let size = 0;
      for (const [key, frame] of frames) {
        if (taken.length > 0 && size + frame.bytes.length > limit) break;
        remove(key);
        taken.push(frame);
        size += frame.bytes.length;
      }
      return taken;
    },
  };
}
