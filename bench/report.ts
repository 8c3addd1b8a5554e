/** A measured figure beside what it should be. */
export interface Line {
  readonly what: string;
  readonly figure: number;
  readonly unit?: string;
  /** What a ratio is to: the peer or limit that was measured in the same run. Absent for figures that are no ratios. */
  readonly peer?: string;
  /** Absent for figures that only give the scale. */
  readonly goal?: { readonly atLeast: number } | { readonly atMost: number };
}

/** As it is printed. */
export const rounded = (value: number): string =>
  value >= 1000
    ? Math.round(value).toLocaleString('en')
    : value >= 10
      ? value.toFixed(1)
      : value === 0
        ? '0'
        : value.toFixed(3);

/** What `report` tells whoever started this process: `bench/all.ts`. */
export interface Report {
  readonly title: string;
  readonly lines: readonly Line[];
}

export const holds = ({ figure, goal }: Line): boolean =>
  goal === undefined || ('atLeast' in goal ? figure >= goal.atLeast : figure <= goal.atMost);

export const wanted = (goal: Line['goal']): string =>
  goal === undefined ? '' : 'atLeast' in goal ? `>= ${goal.atLeast}` : `<= ${goal.atMost}`;

/** Prints the lines as a table; returns whether all goals hold. */
export function report(title: string, lines: readonly Line[]): boolean {
  print(title, lines);
  const told: Report = { title, lines };
  process.send?.(told);
  return lines.every(holds);
}

export function print(title: string, lines: readonly Line[]): void {
  const rows = lines.map((line) => {
    const { what, figure, unit = '', peer = '', goal } = line;
    return [
      what,
      `${rounded(figure)} ${unit}`.trim(),
      wanted(goal),
      goal ? (holds(line) ? 'ok' : 'MISSED') : '',
      peer,
    ];
  });
  const header = [title, 'measured', 'goal', '', 'peer or limit = 1'];
  const widths = header.map((text, i) =>
    Math.max(text.length, ...rows.map((cells) => cells[i]?.length ?? 0)),
  );
  const text = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (i === 0 || i === 4 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`;
  console.log(text(header));
  console.log(`|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  for (const cells of rows) console.log(text(cells));
}

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
