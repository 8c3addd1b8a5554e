import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, sourcesIn } from './sources.js';

/** Cells of each row of the tables in a section of a page. */
export function rowsOf(section: string, page: string): string[][] {
  const [, text = ''] =
    new RegExp(`^## ${section}\\n([\\s\\S]*?)(?=^## |(?![\\s\\S]))`, 'm').exec(page) ?? [];
  return [...text.matchAll(/^\| (.*) \|$/gm)].map(([, cells = '']) => cells.split(' | '));
}

export const unquoted = (cell = '') => cell.replace(/^`|`$/g, '');

export interface SourceFile {
  /** From the root. */
  readonly path: string;
  readonly text: string;
}

export const sources: readonly SourceFile[] = sourcesIn(['lib', 'adapters', 'packages']).map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}));
