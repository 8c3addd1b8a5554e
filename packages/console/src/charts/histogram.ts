interface Bar {
  /** Epoch milliseconds; the end is the beginning of the next. */
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Widths that people count in, milliseconds. */
const widths = [
  1, 10, 100, 1_000, 5_000, 10_000, 30_000, 60_000, 300_000, 600_000, 1_800_000, 3_600_000, 21_600_000,
  86_400_000,
];

/** The narrowest of them with which at most `most` bars cover the time; beyond a day whole numbers of days. */
export function widthOf(millis: number, most: number): number {
  const day = widths.at(-1) ?? 1;
  return (
    widths.find((width) => Math.ceil(millis / width) + 1 <= most) ?? Math.ceil(millis / most / day) * day
  );
}

/** How many happened when: bars of one width over the whole time, also where nothing did. What lies outside is not counted. */
export function barsOf(moments: readonly number[], from: number, to: number, most: number): readonly Bar[] {
  const width = widthOf(to - from, most);
  const first = Math.floor(from / width);
  const last = Math.floor(to / width);
  const counts = Array.from({ length: last - first + 1 }, () => 0);
  for (const at of moments) {
    if (at < from || at > to) continue;
    const place = Math.floor(at / width) - first;
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts.map((count, place) => ({
    from: (first + place) * width,
    to: (first + place + 1) * width,
    count,
  }));
}
