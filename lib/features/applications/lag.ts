/** Windows are counted anew after so many; the seconds in front of the count then go on. */
const counterMask = 0x3fffn;

export const windowMillisOf = (attributes: Readonly<Record<string, unknown>>): number =>
  Number(attributes['STREAMING_WINDOW_SIZE_MILLIS'] ?? 500) || 500;

/**
 * Milliseconds since a window should have been over, by its id: epoch seconds and a count of windows. `undefined` for
 * what is no window yet, and where there are none.
 */
export function lagOf(windowId: string | undefined, windowMillis: number, now: number): number | undefined {
  if (windowId === undefined || !/^\d{1,19}$/.test(windowId)) return undefined;
  const id = BigInt(windowId);
  const seconds = Number(id >> 32n);
  if (seconds === 0) return undefined;
  const over = seconds * 1000 + (Number(id & counterMask) + 1) * windowMillis;
  return Math.max(0, Math.round(now - over));
}
