/** What a screen shows of the past: so much that ends now, or from one moment to another. */
export interface RangeSearch {
  readonly range?: Preset;
  /** Epoch milliseconds; only together. They go before `range`. */
  readonly from?: number;
  readonly to?: number;
}

const minute = 60_000;

export const presets = { '15m': 15 * minute, '1h': 60 * minute, '6h': 360 * minute, '1d': 1440 * minute };
export type Preset = keyof typeof presets;

const isPreset = (value: unknown): value is Preset =>
  typeof value === 'string' && Object.hasOwn(presets, value);
const isMoment = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** Of the query of an address: what does not fit is left out. */
export function readRange({ range, from, to }: Record<string, unknown>): RangeSearch {
  if (isMoment(from) && isMoment(to) && from < to) return { from, to };
  return isPreset(range) ? { range } : {};
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** One that was chosen with its ends stands still: nothing comes behind it. */
export const standing = ({ from, to }: RangeSearch): Span | undefined =>
  from === undefined || to === undefined ? undefined : { from, to };

/** Epoch milliseconds, not before `begin`, where nothing was: `end` is now, or when it ended. */
export function spanOf(search: RangeSearch, begin: number, end: number, usual: Preset): Span {
  const chosen = standing(search);
  if (chosen) return chosen;
  const from = end - presets[search.range ?? usual];
  return { from: Math.min(Math.max(from, begin), end - 1), to: end };
}
