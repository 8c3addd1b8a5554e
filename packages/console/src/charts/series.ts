/** One line of a chart. */
export interface Line {
  readonly label: string;
}

/** Columns as a chart takes them: x in epoch seconds, one column of values for each line, `null` where there is a gap. */
export type Columns = readonly [xs: readonly number[], ...lines: (readonly (number | null)[])[]];

/** One moment: values in the order of the lines. */
export interface Sample {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly values: readonly (number | null | undefined)[];
}

/**
 * Samples in the order of time, put into columns; two of the same moment are the later one. Where nothing was told for longer than
 * `gapMillis`, the lines are broken: a straight line over it would be an invention.
 */
export function columnsOf(samples: readonly Sample[], lines: number, gapMillis: number): Columns {
  const xs: number[] = [];
  const columns = Array.from({ length: lines }, (): (number | null)[] => []);
  let last = Number.NEGATIVE_INFINITY;
  for (const { at, values } of samples) {
    if (at === last) {
      columns.forEach((column, index) => {
        column[column.length - 1] = values[index] ?? null;
      });
      continue;
    }
    if (at < last) continue;
    if (at - last > gapMillis && xs.length > 0) {
      xs.push((last + 1) / 1000);
      for (const column of columns) column.push(null);
    }
    xs.push(at / 1000);
    columns.forEach((column, index) => {
      column.push(values[index] ?? null);
    });
    last = at;
  }
  return [xs, ...columns];
}

/** History, then what came live behind its end; no more than `most`, the newest, cut in one go and not one by one. */
export function continued(
  history: readonly Sample[],
  live: readonly Sample[],
  most: number,
): readonly Sample[] {
  const end = history.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
  const all = [...history, ...live.filter(({ at }) => at > end)];
  return all.length > most ? all.slice(-most) : all;
}

/** At most two points a pixel, the largest of what falls into one place, so that no peak is lost. */
export function thinned(columns: Columns, places: number): Columns {
  const [xs, ...lines] = columns;
  if (xs.length <= places) return columns;
  const each = Math.ceil(xs.length / places);
  const kept: number[] = [];
  for (let from = 0; from < xs.length; from += each) kept.push(from);
  const thin = lines.map((line) =>
    kept.map((from) => {
      const known = line.slice(from, from + each).filter((value) => value !== null);
      return known.length === 0 ? null : Math.max(...known);
    }),
  );
  return [kept.map((from) => xs[from] ?? 0), ...thin];
}
