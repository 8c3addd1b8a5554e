import { rounded } from '../bench/report.js';
import type { Results, SavedLine } from '../bench/results.js';

/** A line of a bench, named so that it stands by itself. */
export interface Row {
  readonly bench: string;
  readonly what: string;
  readonly line: SavedLine;
}

/** Lines that are indented belong to what the one above is of; numbers in front order a bench's own output. */
function rowsOfTable(bench: string, lines: readonly SavedLine[], prefix: string): Row[] {
  let above = '';
  return lines.map((line) => {
    const isPart = line.what.startsWith(' ');
    const what = line.what.trim().replace(/^\d+: /, '');
    if (!isPart) above = what.replace(/: [^:]*$/, '');
    return { bench, what: `${prefix}${isPart ? `${above}: ${what}` : what}`, line };
  });
}

/** Every line of every bench, in the order of the results. A bench that measures the same of several things says of which. */
export const rowsOf = (results: Results): readonly Row[] =>
  Object.entries(results.benches).flatMap(([bench, { tables }]) =>
    tables.flatMap(({ title, lines }) =>
      rowsOfTable(bench, lines, tables.length > 1 ? `${title.replace(/^\d+: /, '')}: ` : ''),
    ),
  );

export const goalRows = (results: Results): readonly Row[] =>
  rowsOf(results).filter(({ line }) => line.goal !== undefined);

export const figureOf = ({ figure, unit = '' }: SavedLine): string =>
  figure === null ? 'nothing' : `${rounded(figure)} ${unit}`.trim();

/**
 * The line whose name begins so. `undefined` where the bench was not run, or broke; throws when a whole bench has no such
 * line, so that a line that gets another name does not fall out of the page.
 */
export function lineOf(results: Results, bench: string, start: string): SavedLine | undefined {
  const ran = results.benches[bench];
  if (ran === undefined || ran.broke !== undefined) return undefined;
  const found = rowsOf(results).find((row) => row.bench === bench && row.what.startsWith(start));
  if (found) return found.line;
  throw new Error(`The bench ${bench} has no line that begins with: ${start}`);
}
