/** A measured figure beside what it should be. */
export interface Line {
  readonly what: string;
  readonly figure: number;
  readonly unit?: string;
  /** Absent for figures that only give the scale. */
  readonly goal?: { readonly atLeast: number } | { readonly atMost: number };
}

const round = (value: number) =>
  value >= 1000 ? Math.round(value).toLocaleString('en') : value >= 10 ? value.toFixed(1) : value.toFixed(3);

/** Prints the lines as a table; resolves whether all goals hold. */
export function report(title: string, lines: readonly Line[]): boolean {
  const rows = lines.map(({ what, figure, unit = '', goal }) => {
    const holds = goal === undefined || ('atLeast' in goal ? figure >= goal.atLeast : figure <= goal.atMost);
    const wanted = goal === undefined ? '' : 'atLeast' in goal ? `>= ${goal.atLeast}` : `<= ${goal.atMost}`;
    return {
      cells: [what, `${round(figure)} ${unit}`.trim(), wanted, goal ? (holds ? 'ok' : 'MISSED') : ''],
      holds,
    };
  });
  const header = [title, 'measured', 'goal', ''];
  const widths = header.map((text, i) =>
    Math.max(text.length, ...rows.map(({ cells }) => cells[i]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`;
  console.log(line(header));
  console.log(`|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  for (const { cells } of rows) console.log(line(cells));
  return rows.every(({ holds }) => holds);
}

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
