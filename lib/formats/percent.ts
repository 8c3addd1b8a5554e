const plain = /^[!-$&-~]*$/;
const ascii = /^[!-~]*$/;

/** A segment of a path as it was before it was percent-encoded; `undefined` for what nobody encoded well. */
export function decodePathSegment(raw: string): string | undefined {
  if (plain.test(raw)) return raw;
  if (!ascii.test(raw)) return undefined;
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
}
