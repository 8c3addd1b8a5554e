import { type Columns, columnsOf, type Line } from '../../charts/series.js';
import { cellText, numberOf, type Row } from './protocol.js';

/** What was told of the rows so far, by what names a row: a chart has few lines, those that came first. */
export interface Told {
  readonly labels: readonly string[];
  readonly samples: readonly { readonly at: number; readonly values: Readonly<Record<string, number>> }[];
}

export const nothingTold: Told = { labels: [], samples: [] };

const mostLines = 6;
const mostSamples = 1200;
/** Results come with each window; where none came for so long, there is a gap. */
const gapMillis = 15_000;

export function told(
  before: Told,
  rows: readonly Row[],
  at: number,
  label: string | undefined,
  value: string,
): Told {
  const values: Record<string, number> = {};
  const labels = [...before.labels];
  for (const row of label === undefined ? rows.slice(0, 1) : rows) {
    const name = label === undefined ? value : cellText(row[label]);
    const number = numberOf(row[value]);
    if (number === undefined) continue;
    if (!labels.includes(name) && labels.length < mostLines) labels.push(name);
    if (labels.includes(name)) values[name] = number;
  }
  const { samples } = before;
  const kept = samples.length >= mostSamples ? samples.slice(mostSamples / 4) : samples;
  return { labels, samples: [...kept, { at, values }] };
}

export function chartOf({ labels, samples }: Told): {
  readonly lines: readonly Line[];
  readonly columns: Columns;
} {
  const columns = columnsOf(
    samples.map(({ at, values }) => ({ at, values: labels.map((label) => values[label]) })),
    labels.length,
    gapMillis,
  );
  return { lines: labels.map((label) => ({ label })), columns };
}
