import { readFileSync } from 'node:fs';

/** A table of `test/spec`: its rows as objects, by the names in the first line. */
export function tableOf(file: string): readonly Readonly<Record<string, string>>[] {
  const [head = '', ...lines] = readFileSync(
    new URL(`../../../../test/spec/${file}`, import.meta.url),
    'utf8',
  )
    .trimEnd()
    .split('\n');
  const columns = head.split('\t');
  return lines.map((line) => {
    const cells = line.split('\t');
    return Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? '']));
  });
}

/** Parameters count by their place, not by their name; `...` and `{rest...}` are the rest of a path. */
export const shapeOf = (method: string, path: string): string =>
  `${method} ${path.replace(/\{\w+\.\.\.\}$|\.\.\.$/, '*').replace(/\{\w+\}/g, '{}')}`;
