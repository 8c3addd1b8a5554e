import type { Page } from 'playwright-core';
import type { Test } from 'tap';

/** How many names follow one of these in an address: of one thing of many. */
const namesAfter = new Map(
  Object.entries({
    apps: 1,
    containers: 1,
    logs: 1,
    operators: 1,
    partitions: 1,
    ports: 1,
    recordings: 1,
    packages: 3,
    users: 1,
    roles: 1,
  }),
);

/** What screen an address is of: `apps/(one)/operators/(one)`. */
function kindOf(link: string): string {
  let names = 0;
  const kind = link.split('/').map((segment) => {
    if (names > 0) {
      names--;
      return '(one)';
    }
    names = namesAfter.get(segment) ?? 0;
    return segment;
  });
  return kind.join('/');
}

/** Where the links of a screen lead. */
const hrefs = "[...document.querySelectorAll('a[href]')].map((link) => link.href)";

interface Walk {
  readonly baseUrl: string;
  /** Where it begins, and where it stays: links that begin with another text are not followed. */
  readonly first: string;
  readonly within: string;
  /** What else is held of each screen. */
  readonly look?: (kind: string) => Promise<unknown>;
}

/**
 * Opens each kind of screen that links lead to, once. Each must show what it is for: nothing failed to be read. Resolves the kinds, in
 * the order of the alphabet.
 */
export async function walk(
  t: Pick<Test, 'equal'>,
  page: Page,
  { baseUrl, first, within, look }: Walk,
): Promise<readonly string[]> {
  const root = `${baseUrl}/console/`;
  const seen = new Set<string>();
  const left = [first];
  for (let link = left.shift(); link !== undefined; link = left.shift()) {
    const kind = kindOf(link);
    if (seen.has(kind)) continue;
    seen.add(kind);
    await page.goto(root + link);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.waitForLoadState('networkidle');
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'hidden' });
    t.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0, `${kind} has what it shows`);
    await look?.(kind);
    for (const href of await page.evaluate<string[]>(hrefs)) {
      const [address = ''] = href.split(/[?#]/);
      if (address.startsWith(root + within)) left.push(address.slice(root.length));
    }
  }
  return [...seen].sort();
}
