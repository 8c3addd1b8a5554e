import type { PartEntry } from './index-line.js';

/** What the lines of a collection mean: the same for who writes, who reads and who takes up again. */
export interface PartFormat {
  /** Epoch milliseconds; `undefined`: the line is damaged, and is left out. */
  timeOf(line: string): number | undefined;
  /** Items that the line adds to the count of its part. Default: 1. */
  countOf?(line: string): number;
  /** Gathers what the index tells of a part besides, from each of its lines in order; one for each part. */
  summary?(): PartSummary;
}

export interface PartSummary {
  add(line: string): void;
  text(): string;
}

/** The index entry of a part as it grows. */
export interface PartTally {
  add(time: number, line: string): void;
  /** `undefined` as long as there is nothing in it. */
  entry(): PartEntry | undefined;
}

export function createTally(number: number, format: PartFormat): PartTally {
  const summary = format.summary?.();
  let lines = 0;
  let first = Infinity;
  let last = -Infinity;
  let count = 0;
  return {
    add(time, line) {
      lines++;
      // Clocks are set back now and then.
      if (time < first) first = time;
      if (time > last) last = time;
      count += format.countOf ? format.countOf(line) : 1;
      summary?.add(line);
    },
    entry() {
      if (lines === 0) return undefined;
      return { number, first, last, count, ...(summary ? { extra: summary.text() } : {}) };
    },
  };
}
