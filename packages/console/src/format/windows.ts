// A window's id is text: epoch seconds at which the counting began << 32 | windows since then.

/** Nothing for what tells no time: no id, or that of before the first window. */
function parts(id: string | undefined): readonly [seconds: number, counter: number] | undefined {
  if (id === undefined || !/^\d{1,20}$/.test(id)) return undefined;
  const number = BigInt(id);
  const seconds = Number(number >> 32n);
  return seconds > 0 ? [seconds, Number(number & 0xffffffffn)] : undefined;
}

/** When a window began, in epoch milliseconds; `undefined` for an id that tells no time. */
export function windowTime(id: string | undefined, widthMillis: number): number | undefined {
  const told = parts(id);
  return told && told[0] * 1000 + told[1] * widthMillis;
}

/** How many windows `id` is behind `newest`; never less than none. */
export function windowsBehind(
  id: string | undefined,
  newest: string | undefined,
  widthMillis: number,
): number | undefined {
  const [own, first] = [parts(id), parts(newest)];
  if (!own || !first) return undefined;
  // The counter begins anew now and then: what is between is told by the time then.
  const between =
    own[0] === first[0] ? first[1] - own[1] : ((first[0] - own[0]) * 1000) / widthMillis + first[1] - own[1];
  return Math.max(0, Math.round(between));
}

/** Of those that tell a time; `undefined` for none. */
export const newestWindow = (ids: Ids): string | undefined => choose(ids, (a, b) => (a > b ? a : b));
export const oldestWindow = (ids: Ids): string | undefined => choose(ids, (a, b) => (a < b ? a : b));

type Ids = readonly (string | undefined)[];

function choose(ids: Ids, better: (a: bigint, b: bigint) => bigint): string | undefined {
  const told = ids.flatMap((id) => (id !== undefined && parts(id) ? [BigInt(id)] : []));
  const [first, ...rest] = told;
  return first === undefined ? undefined : String(rest.reduce(better, first));
}
