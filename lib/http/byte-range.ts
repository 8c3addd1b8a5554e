/** The part of `size` bytes that a reader asked for, cut at the end. Throws `RangeError` for what is no range. */
export function byteRange(
  size: number,
  { start = 0, end = size }: { start?: number; end?: number } = {},
): { start: number; end: number } {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start) {
    throw new RangeError(`From byte ${start} up to byte ${end} is no range`);
  }
  return { start: Math.min(start, size), end: Math.min(end, size) };
}
