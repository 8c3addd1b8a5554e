import type { Values } from '../../forms/property-values.js';
import { exactRecord } from './exact.js';

/** What has a value: `null` stands for a property without one. */
export const valuesIn = (text: string): Values =>
  Object.fromEntries(Object.entries(exactRecord(text)).filter(([, value]) => value !== null));

/** As the API takes changes of properties: what was taken away is the default again, which `null` says. */
export const bodyOf = (changes: Values): Record<string, unknown> =>
  Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, value ?? null]));
