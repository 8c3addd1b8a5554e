import type { OperatorAccess, OperatorType } from '@headgate/operators';
import { createProblems, type Problems } from 'headgate/driver-kit';
import type { Plan } from './logical.js';

/**
 * Refuses properties that name what applications may not reach; whatever comes to light later only (a name's
 * addresses, a link made since) the operator meets. Throws `InvalidInput` with each place.
 */
export function checkReach(plan: Plan, access: OperatorAccess): void {
  const problems = createProblems();
  for (const [index, { type, properties }] of plan.operators.entries())
    checkReachOf(type, properties, access, (name) => `operators.${index}.properties.${name}`, problems);
  problems.throwIfAny();
}

/** The same for one operator. */
export function checkReachOf(
  type: OperatorType,
  properties: Readonly<Record<string, unknown>>,
  access: OperatorAccess,
  place: (property: string) => string,
  problems: Problems,
): void {
  const checks = { read: access.toRead, write: access.toWrite, url: access.checkUrl };
  for (const [name, kind] of Object.entries(type.reaches ?? {})) {
    const value = properties[name];
    if (typeof value !== 'string') continue;
    try {
      checks[kind](value);
    } catch (error) {
      problems.add(place(name), error instanceof Error ? error.message : String(error));
    }
  }
}
