// A window's id is text: epoch seconds at which the counting began << 32 | windows since then.

const parts = (id: string): readonly [seconds: number, counter: number] | undefined => {
  if (!/^\d{1,20}$/.test(id)) return undefined;
  const number = BigInt(id);
  return [Number(number >> 32n), Number(number & 0xffffffffn)];
};

/** What engines take when nobody says otherwise. */
export const usualWidthMillis = 500;

/** When a window began, in epoch milliseconds; `undefined` for an id that tells no time, as before the first window. */
export function windowTime(id: string, widthMillis: number): number | undefined {
  const [seconds, counter] = parts(id) ?? [0, 0];
  return seconds > 0 ? seconds * 1000 + counter * widthMillis : undefined;
}

/** How many windows `id` is behind `newest`; never less than none. */
export function windowsBehind(id: string, newest: string, widthMillis: number): number | undefined {
  const [own, first] = [parts(id), parts(newest)];
  if (!own || !first || own[0] === 0 || first[0] === 0) return undefined;
  // The counter begins anew now and then: what is between is told by the time then.
  const between =
    own[0] === first[0] ? first[1] - own[1] : ((first[0] - own[0]) * 1000) / widthMillis + first[1] - own[1];
  return Math.max(0, Math.round(between));
}

export const newestWindow = (ids: readonly string[]): string =>
  ids
    .filter((id) => /^\d{1,20}$/.test(id))
    .reduce((newest, id) => (BigInt(id) > BigInt(newest) ? id : newest), '0');

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
