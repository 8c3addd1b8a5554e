/** What the addresses of the screens say. What does not fit is left out: an old link still shows the screen. */

type Search = Record<string, unknown>;

/** A name may hold anything, and one that looks like a number is read as one. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== ''
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : undefined;

const withText = <K extends string>(search: Search, ...keys: readonly K[]): { [Key in K]?: string } => {
  const found: { [Key in K]?: string } = {};
  for (const key of keys) {
    const text = textOf(search[key]);
    if (text !== undefined) found[key] = text;
  }
  return found;
};

/** `name`: of an alert that is there. `template`: what a new one is made from. */
export interface EditSearch {
  readonly name?: string;
  readonly template?: string;
}
export const readEditSearch = (search: Search): EditSearch => withText(search, 'name', 'template');

export const periods = ['hour', 'day', 'week'] as const;
export type Period = (typeof periods)[number];

/** `q`: part of a name or a message. Without a period: all that is remembered. */
export interface HistorySearch {
  readonly q?: string;
  readonly period?: Period;
}
export function readHistorySearch(search: Search): HistorySearch {
  const period = periods.find((one) => one === search['period']);
  return { ...withText(search, 'q'), ...(period ? { period } : {}) };
}

/** `edit`: the template that is being changed; `new`: one is being made. */
interface TemplatesSearch {
  readonly edit?: string;
  readonly new?: true;
}
export const readTemplatesSearch = (search: Search): TemplatesSearch => ({
  ...withText(search, 'edit'),
  ...(search['new'] === true ? { new: true } : {}),
});
