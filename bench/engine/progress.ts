import { readFileSync } from 'node:fs';

/** What counters note now and then, each in a line: the time of day in milliseconds and how many they have counted. */
export interface Progress {
  readonly at: number;
  readonly count: number;
}

/** What stands in the file so far; none when it is not there yet. */
export function progressIn(file: string): Progress[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  // A last line without its end is still being written.
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [at, count] = line.split(' ').map(Number);
      return { at: at ?? Number.NaN, count: count ?? Number.NaN };
    });
}

/** Records a second between the two moments, of epoch milliseconds. */
export function rateBetween(all: readonly Progress[], from: number, to: number): number {
  const inside = all.filter(({ at }) => at >= from && at <= to);
  const [first, last] = [inside[0], inside.at(-1)];
  if (!first || !last || first.at === last.at) throw new Error('The counter stood still');
  return ((last.count - first.count) * 1000) / (last.at - first.at);
}
