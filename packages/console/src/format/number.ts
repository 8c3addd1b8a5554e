/** What stands for a number that nobody knows: never 0. */
export const unknown = '–';

const thin = ' ';

/** Three significant digits: `12.4`, `1.24`, `640`. */
function short(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return String(Number(value.toFixed(digits)));
}

const steps: readonly (readonly [at: number, sign: string])[] = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
];

const isKnown = (value: number | undefined | null): value is number =>
  typeof value === 'number' && Number.isFinite(value);

/** `1.24 M`, `12.4 k`, `640`. Rounds first, so that 999,950 is `1 M` and not `1000 k`. */
export function compact(value: number | undefined | null): string {
  if (!isKnown(value)) return unknown;
  for (const [at, sign] of steps) {
    if (Math.abs(value) >= at * 0.9995) return `${short(value / at)}${thin}${sign}`;
  }
  return short(value);
}

/** A rate, a second: `12.4 k/s`. */
export const rate = (perSecond: number | undefined | null): string =>
  isKnown(perSecond) ? `${compact(perSecond)}/s` : unknown;

/**
 * All of its digits, in threes, up to six of them; from there on compact. A count beyond 2^53 comes as a text of digits and stays
 * exact in `exactCount`.
 */
export const count = (value: number | undefined | null): string =>
  isKnown(value) && Math.abs(value) < 1e6 ? exactCount(value) : compact(value);

/** Every digit, for tooltips and copies. */
export function exactCount(value: number | string | undefined | null): string {
  if (value === undefined || value === null || (typeof value === 'number' && !Number.isFinite(value)))
    return unknown;
  const text = String(value);
  if (!/^-?\d+$/.test(text)) return text;
  return text.replace(/\B(?=(\d{3})+$)/g, thin);
}

export const percent = (share: number | undefined | null): string =>
  isKnown(share) ? `${short(share * 100)}${thin}%` : unknown;

export { isKnown };
