import type { Test } from 'tap';

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
