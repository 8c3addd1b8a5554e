import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { root } from './sources.js';

/**
 * A folder of this test's own, with these files. It goes after all that the test tears down: tap's own goes before what
 * was said to be torn down later, while programs that still run write into it.
 */
export function testFolder(
  t: Pick<Test, 'teardown' | 'testdir'>,
  content?: Parameters<Test['testdir']>[0],
): string {
  t.teardown(() => {});
  return t.testdir(content);
}

/** One below the root of the repository: programs in it find the packages by their names, as `npm run build` built them. */
export function folderBesideBuilt(t: Pick<Test, 'teardown'>, name: string): string {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(root, '.cache', `${name}-`));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
