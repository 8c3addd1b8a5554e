import { createHash } from 'node:crypto';
import type { ServiceDefinition } from '../schema.js';

/** The same for the same definition, whatever the order of its keys; `enabled` is no part of it. */
export function revisionOf({ enabled: _, ...definition }: ServiceDefinition): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(definition)))
    .digest('hex')
    .slice(0, 32);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
