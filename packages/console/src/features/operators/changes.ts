import type { Values } from '../../forms/property-values.js';

/** As the API takes changes of properties: what was taken away is the default again, which `null` says. */
export const bodyOf = (changes: Values): Record<string, unknown> =>
  Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, value ?? null]));
