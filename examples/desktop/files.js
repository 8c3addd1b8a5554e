import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sea from 'node:sea';
import { pathToFileURL } from 'node:url';
import envPaths from 'env-paths';

/** Where everything is kept. */
export const data = process.env.DATA ?? envPaths('headgate-desktop').data;

/** Whether all of the app is in one executable, as `build-single.js` makes it. */
export const isSingle = sea.isSea();

/** The URL of a file of the app's: beside this one, or unpacked from the executable, for those who need a real one. */
export function fileOf(name) {
  if (!isSingle) return new URL(name, import.meta.url);
  const file = join(data, 'program', name);
  const bytes = Buffer.from(sea.getRawAsset(name));
  // One that is in use is not written over.
  if (!existsSync(file) || !readFileSync(file).equals(bytes)) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.${process.pid}`, bytes, { mode: 0o700 });
    renameSync(`${file}.${process.pid}`, file);
  }
  return pathToFileURL(file);
}
