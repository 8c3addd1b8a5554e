import type { WindowClock } from '../model/windows.js';

type Ends = ReadonlyMap<number, number>;

/** Newest windows that the average is taken over. */
const windows = 20;

/**
 * Mean milliseconds from the moment when the slowest operator upstream had ended a window until this one had; for an
 * operator without inputs from the moment when the window should have ended. 0 as long as nothing is known.
 */
export function latencyOf(own: Ends, upstream: readonly Ends[], clock: WindowClock): number {
  let sum = 0;
  let count = 0;
  for (const [window, at] of [...own].slice(-windows)) {
    const since =
      upstream.length === 0
        ? clock.monotonicMillis + (window + 1) * clock.widthMillis
        : Math.max(...upstream.map((ends) => ends.get(window) ?? endBefore(ends, window, clock)));
    if (since === Infinity) continue;
    sum += Math.max(0, at - since);
    count++;
  }
  return count === 0 ? 0 : sum / count;
}

/** A backlog may be longer than what is kept of a source: it ended the window about when that was over. */
function endBefore(ends: Ends, window: number, clock: WindowClock): number {
  const [oldest = Infinity] = ends.keys();
  return window < oldest && oldest !== Infinity
    ? clock.monotonicMillis + (window + 1) * clock.widthMillis
    : Infinity;
}

/** The path from an input to an output on which the latencies add up to most. `order` has sources before their readers. */
export function criticalPath(
  order: readonly string[],
  upstream: ReadonlyMap<string, readonly string[]>,
  latency: ReadonlyMap<string, number>,
): { readonly path: readonly string[]; readonly millis: number } {
  const best = new Map<string, { path: readonly string[]; millis: number }>();
  let longest: { path: readonly string[]; millis: number } = { path: [], millis: 0 };
  for (const id of order) {
    let before: { path: readonly string[]; millis: number } = { path: [], millis: 0 };
    for (const source of upstream.get(id) ?? []) {
      const candidate = best.get(source);
      if (candidate && (before.path.length === 0 || candidate.millis > before.millis)) before = candidate;
    }
    const here = { path: [...before.path, id], millis: before.millis + (latency.get(id) ?? 0) };
    best.set(id, here);
    if (longest.path.length === 0 || here.millis > longest.millis) longest = here;
  }
  return longest;
}
