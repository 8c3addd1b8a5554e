/** A line of a part of a text that is too long to be held; `start`: where it stands in the whole. */
export interface PlacedLine {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Lines that two parts of a text have in common, one after the other. */
export interface CommonRun {
  readonly before: number;
  readonly after: number;
  readonly count: number;
}

const isSame = (a: PlacedLine | undefined, b: PlacedLine | undefined): boolean =>
  a !== undefined && b !== undefined && a.start === b.start && a.end === b.end && a.text === b.text;

/**
 * What stays when another part is shown: the first run of lines that are in both, so that only what is above and below is replaced and
 * a selection in between lives on. Both in the order of the whole; `count` is 0 where nothing stays.
 */
export function commonRun(before: readonly PlacedLine[], after: readonly PlacedLine[]): CommonRun {
  let [a, b] = [0, 0];
  while (a < before.length && b < after.length && !isSame(before[a], after[b])) {
    const difference = (before[a]?.start ?? 0) - (after[b]?.start ?? 0);
    if (difference <= 0) a++;
    if (difference >= 0) b++;
  }
  let count = 0;
  while (isSame(before[a + count], after[b + count])) count++;
  return { before: a, after: b, count };
}
