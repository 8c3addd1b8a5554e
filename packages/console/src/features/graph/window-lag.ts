/**
 * How many streaming windows `own` is behind `other`; 0 when it is ahead. Window ids are 64 bits as text: seconds of an epoch, then a
 * number of windows since. Where the seconds differ, windows are counted by their length. `undefined` for what is no window id.
 */
export function windowsBehind(own: string, other: string, windowMillis: number): number | undefined {
  if (!isWindow(own) || !isWindow(other)) return undefined;
  const [a, b] = [BigInt(own), BigInt(other)];
  if (a >= b) return 0;
  const seconds = Number((b >> 32n) - (a >> 32n));
  const windows = Number((b & low) - (a & low));
  return Math.max(0, Math.round((seconds * 1000) / windowMillis) + windows);
}

const low = 0xffffffffn;

/** Engines give `-1` or 0 for none yet. */
const isWindow = (text: string): boolean => /^[1-9]\d{0,18}$/.test(text);

/** The newest of them; `undefined` for none. */
export function newestWindow(windows: readonly string[]): string | undefined {
  return windows
    .filter(isWindow)
    .reduce<string | undefined>(
      (newest, window) => (newest === undefined || BigInt(window) > BigInt(newest) ? window : newest),
      undefined,
    );
}
