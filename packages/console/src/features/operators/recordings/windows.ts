interface Range {
  readonly low: string;
  readonly high: string;
}

/** The windows of some ranges as a list, of which none is made before it is looked at. */
export interface WindowList {
  readonly length: number;
  at(index: number): string | undefined;
  /** Of the window, or of the next one that there is. */
  indexOf(id: string): number;
}

/** The counter's last value before it begins anew. */
const lastCounter = 0x3ffen;

/** A range over the place where the counter begins anew is two. */
const pieces = ({ low, high }: Range): readonly (readonly [bigint, bigint])[] => {
  const [first, last] = [BigInt(low), BigInt(high)];
  if (last < first) return [];
  if (first >> 32n === last >> 32n) return [[first, last]];
  const [endOfFirst, startOfLast] = [((first >> 32n) << 32n) | lastCounter, (last >> 32n) << 32n];
  return [...(first <= endOfFirst ? [[first, endOfFirst] as const] : []), [startOfLast, last]];
};

export function windowsIn(ranges: readonly Range[]): WindowList {
  const all = ranges.flatMap(pieces);
  const lengths = all.map(([first, last]) => Number(last - first) + 1);
  return {
    length: lengths.reduce((sum, each) => sum + each, 0),
    at(index) {
      let left = index;
      for (const [piece, [first]] of all.entries()) {
        const length = lengths[piece] ?? 0;
        if (left < length) return String(first + BigInt(left));
        left -= length;
      }
      return undefined;
    },
    indexOf(id) {
      const wanted = BigInt(id);
      let before = 0;
      for (const [piece, [first, last]] of all.entries()) {
        if (wanted <= last) return before + (wanted > first ? Number(wanted - first) : 0);
        before += lengths[piece] ?? 0;
      }
      return Math.max(0, before - 1);
    },
  };
}
