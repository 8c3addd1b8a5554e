import type { Frame } from './frame.js';

/**
 * What waits for a socket that can't take more now: of each snapshot topic the newest frame, of event topics every
 * frame. The order is that of publishing.
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
  const remove = (key: string | Frame): boolean => {
    const frame = frames.get(key);
    if (frame === undefined) return false;
    frames.delete(key);
    bytes -= frame.bytes.length;
    return true;
  };
  return {
    get bytes() {
      return bytes;
    },
    add(frame) {
      const key = frame.isSnapshot ? frame.topic : frame;
      const isSkipped = remove(key);
      frames.set(key, frame);
      bytes += frame.bytes.length;
      return isSkipped;
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
