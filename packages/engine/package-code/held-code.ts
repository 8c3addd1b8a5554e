export interface HeldCode {
  readonly key: string;
  /** Until then it is not removed. */
  release(): void;
}

/** Which code is used by how many. */
interface Holds {
  has(key: string): boolean;
  hold(key: string): HeldCode;
}

export function createHolds(): Holds {
  const counts = new Map<string, number>();
  return {
    has: (key) => counts.has(key),
    hold(key) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      let held = true;
      return {
        key,
        release() {
          if (!held) return;
          held = false;
          const left = (counts.get(key) ?? 1) - 1;
          if (left > 0) counts.set(key, left);
          else counts.delete(key);
        },
      };
    },
  };
}
