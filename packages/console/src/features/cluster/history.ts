import type { Sample } from '../../charts/series.js';

/** What a chart of the load shows: one column of values for each line. */
export interface Load {
  readonly at: number;
  readonly figures: Readonly<Record<string, unknown>>;
}

/** An hour at a message each five seconds. */
const mostKept = 720;

/** With one more, the oldest left out beyond `most`; one of the same moment takes the place of the last. */
export function withLoad(before: readonly Load[], next: Load, most = mostKept): readonly Load[] {
  const last = before.at(-1);
  if (last && next.at < last.at) return before;
  const kept = last?.at === next.at ? before.slice(0, -1) : before;
  return [...kept, next].slice(-most);
}

/** The named figures of each moment, in this order; what is no number is a gap. */
export const samplesOf = (history: readonly Load[], names: readonly string[]): readonly Sample[] =>
  history.map(({ at, figures }) => ({
    at,
    values: names.map((name) => {
      const value = figures[name];
      return typeof value === 'number' && Number.isFinite(value) ? value : null;
    }),
  }));
