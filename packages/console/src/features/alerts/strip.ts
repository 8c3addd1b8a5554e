/** When an alert was active; without `outTime` it still is. Epoch milliseconds. */
export interface Activation {
  readonly inTime: number;
  readonly outTime?: number | undefined;
}

/** A part of a strip, in thousandths of its length. */
export interface Piece {
  readonly from: number;
  readonly width: number;
}

interface Strip {
  readonly pieces: readonly Piece[];
  /** Activations that reach into the time shown. */
  readonly count: number;
}

const length = 1000;
/** What was short is still seen. */
const least = 6;

/** Activations between two moments as parts of a line; those that touch are one part, and counted as what they are. */
export function stripOf(activations: readonly Activation[], from: number, to: number): Strip {
  const inside = activations
    .map(({ inTime, outTime = to }) => ({ start: Math.max(inTime, from), end: Math.min(outTime, to) }))
    .filter(({ start, end }) => start <= end && to > from)
    .sort((one, other) => one.start - other.start);
  const pieces: Piece[] = [];
  for (const { start, end } of inside) {
    const width = Math.max(least, ((end - start) / (to - from)) * length);
    const at = Math.min(length - width, ((start - from) / (to - from)) * length);
    const last = pieces.at(-1);
    if (last && at <= last.from + last.width) {
      const until = Math.max(last.from + last.width, at + width);
      pieces[pieces.length - 1] = { from: last.from, width: until - last.from };
    } else pieces.push({ from: at, width });
  }
  return { pieces, count: inside.length };
}
