// A search of a whole log, on the server, in slices: from where somebody looks to one end of the log, then from there to the other.
// Pure: whoever asks the server tells what came.

export interface Hit {
  readonly offset: number;
  readonly line: string;
}

type Direction = 'up' | 'down';

/** Bytes that have been searched lie between `top` and `bottom`; nothing else has. */
export interface Search {
  readonly grep: string;
  readonly length: number;
  readonly direction: Direction;
  readonly top: number;
  readonly bottom: number;
  readonly sliceBytes: number;
  /** In the order of the log. */
  readonly hits: readonly Hit[];
}

export interface Slice {
  readonly start: number;
  readonly end: number;
}

const smallestSlice = 64 * 1024;
const firstSlice = 1024 * 1024;
const largestSlice = 32 * 1024 * 1024;
/**
 * Slices overlap by the longest that a line may be for the server: one that a slice cuts stands whole in the next. Longer ones it
 * gives in pieces.
 */
const overlapBytes = 64 * 1024 + 4;
export const maxHits = 5000;

export const startSearch = (
  grep: string,
  {
    length,
    from,
    direction,
  }: { readonly length: number; readonly from: number; readonly direction: Direction },
): Search => ({ grep, length, direction, top: from, bottom: from, sliceBytes: firstSlice, hits: [] });

export const searchedBytes = ({ top, bottom }: Search): number => bottom - top;

export const isDone = ({ top, bottom, length, hits }: Search): boolean =>
  (top <= 0 && bottom >= length) || hits.length >= maxHits;

/** What to ask next: bytes of it that were searched before are there to complete lines. */
export function nextSlice(search: Search): Slice | undefined {
  if (isDone(search)) return undefined;
  const { top, bottom, length, sliceBytes } = search;
  return isUpNext(search)
    ? { start: Math.max(0, top - sliceBytes), end: Math.min(length, top + overlapBytes) }
    : { start: Math.max(0, bottom - overlapBytes), end: Math.min(length, bottom + sliceBytes) };
}

const isUpNext = ({ direction, top, bottom, length }: Search): boolean =>
  direction === 'up' ? top > 0 : bottom >= length;

const encoder = new TextEncoder();

/** What the server has found in the slice. */
export function found(search: Search, slice: Slice, lines: readonly Hit[]): Search {
  const { length, hits } = search;
  const isWhole = ({ offset, line }: Hit) =>
    (offset > slice.start || slice.start === 0) &&
    (slice.end === length || offset + encoder.encode(line).length < slice.end);
  const known = new Set(hits.map(({ offset }) => offset));
  const fresh = lines.filter((hit) => isWhole(hit) && !known.has(hit.offset));
  const moved = isUpNext(search) ? { top: slice.start } : { bottom: slice.end };
  return {
    ...search,
    ...moved,
    sliceBytes: Math.min(2 * search.sliceBytes, largestSlice),
    hits:
      fresh.length === 0 ? hits : [...hits, ...fresh].sort((a, b) => a.offset - b.offset).slice(0, maxHits),
  };
}

/** The lines found were more than one answer carries: less is asked for. */
export const foundTooMuch = (search: Search): Search | undefined =>
  search.sliceBytes <= smallestSlice ? undefined : { ...search, sliceBytes: search.sliceBytes / 4 };

/** The next hit behind an offset, or before it; round at the end. */
export function walked(hits: readonly Hit[], offset: number, direction: Direction): Hit | undefined {
  return direction === 'down'
    ? (hits.find((hit) => hit.offset > offset) ?? hits[0])
    : (hits.findLast((hit) => hit.offset < offset) ?? hits.at(-1));
}

/** As the browser can mark it; the server's syntax is another one, and where that fails the whole line is marked. */
export function patternOf(grep: string): RegExp | undefined {
  const flags = /^\(\?([im]+)\)/.exec(grep);
  try {
    return new RegExp(flags ? grep.slice(flags[0].length) : grep, `g${flags?.[1]?.includes('i') ? 'i' : ''}`);
  } catch {
    return undefined;
  }
}
