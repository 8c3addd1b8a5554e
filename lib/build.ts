/**
 * Which source this is: the commit and its date (ISO 8601), so that the same source is the same build. Empty where
 * nobody has built it: `npm run build` writes them into `dist`.
 */
export const buildInfo: { readonly revision: string; readonly date: string } = { revision: '', date: '' };
