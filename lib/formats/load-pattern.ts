import type { Pattern } from './pattern.js';

/**
 * A regular expression from a client, as `compilePattern` makes it; rejects with its `BadRequest`. The engine of patterns is
 * loaded with the first one: many a gateway never sees any.
 */
export const loadPattern = async (text: string, where: string): Promise<Pattern> =>
  (await import('./pattern.js')).compilePattern(text, where);
