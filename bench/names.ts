import { readdirSync } from 'node:fs';
import { basename } from 'node:path';

/** Parts of others, and what needs a directory server or a library from elsewhere. */
const apart: ReadonlySet<string> = new Set([
  'all',
  'names',
  'report',
  'results',
  'engine-operators',
  'directory-logins',
  'directory-searches',
  'jars',
]);

/** The benches of a whole run. */
export const benchNames: readonly string[] = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.js'))
  .map((file) => basename(file, '.js'))
  .filter((name) => !apart.has(name))
  .toSorted();
