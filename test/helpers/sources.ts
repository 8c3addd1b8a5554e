import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

export const root = join(import.meta.dirname, '../../..');

/** What runs in a browser, and what builds it: it has rules of its own, `test/packages/console/arrows.test.ts`. */
const pages = /^packages\/console\/(src\/|vite\.config\.ts)/;

/** The TypeScript in these folders, without what was built or installed, and without pages; paths from the root. */
export const sourcesIn = (folders: readonly string[]): string[] =>
  filesIn(folders).filter((file) => file.endsWith('.ts') && !pages.test(file));

/** The sources of the console's pages. */
export const pageSources = (): string[] =>
  filesIn(['packages/console/src']).filter((file) => /\.tsx?$/.test(file));

const filesIn = (folders: readonly string[]): string[] =>
  folders
    .flatMap((folder) => readdirSync(join(root, folder), { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => !/\/(dist|node_modules)\//.test(file));
