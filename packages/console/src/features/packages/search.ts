/** What the address of the list says. */
export interface ListSearch {
  readonly q?: string;
  readonly show?: 'configurations';
}

export const parts = ['contents', 'operators', 'configurations', 'permissions'] as const;
export type Part = (typeof parts)[number];

/** What the address of a package says: its part, and in it the operator class or the configuration that is open. */
interface PackageSearch {
  readonly part?: Part;
  readonly q?: string;
  readonly open?: string;
}

const textIn = (value: unknown): string | undefined =>
  typeof value === 'number' ? String(value) : typeof value === 'string' && value !== '' ? value : undefined;

/** What does not fit is left out: an old link still shows the list. */
export function readListSearch(search: Record<string, unknown>): ListSearch {
  const q = textIn(search['q']);
  return {
    ...(q === undefined ? {} : { q }),
    ...(search['show'] === 'configurations' ? { show: 'configurations' } : {}),
  };
}

export function readPackageSearch(search: Record<string, unknown>): PackageSearch {
  const part = parts.find((one) => one === search['part'] && one !== 'contents');
  const [q, open] = [textIn(search['q']), textIn(search['open'])];
  return {
    ...(part === undefined ? {} : { part }),
    ...(q === undefined ? {} : { q }),
    ...(open === undefined ? {} : { open }),
  };
}
