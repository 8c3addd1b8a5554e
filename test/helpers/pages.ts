import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of the repository. */
export const root = join(import.meta.dirname, '../../..');

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

export const sources: readonly SourceFile[] = ['lib', 'adapters'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({
      path: `${folder}/${name}`,
      text: readFileSync(join(root, folder, name), 'utf8'),
    })),
);
