import type { OperatorAccess } from '../operator.js';
import type { Plan } from './logical.js';
import { createProblems } from './problems.js';

/**
 * Refuses properties that name what applications may not reach; whatever comes to light later only (a name's
 * addresses, a link made since) the operator meets. Throws `InvalidInput` with each place.
 */
export function checkReach(plan: Plan, access: OperatorAccess): void {
  const checks = { read: access.toRead, write: access.toWrite, url: access.checkUrl };
  const problems = createProblems();
  for (const [index, { type, properties }] of plan.operators.entries())
    for (const [name, kind] of Object.entries(type.reaches ?? {})) {
      const value = properties[name];
      if (typeof value !== 'string') continue;
      try {
        checks[kind](value);
      } catch (error) {
        problems.add(
          `operators.${index}.properties.${name}`,
          error instanceof Error ? error.message : String(error),
        );
      }
    }
  problems.throwIfAny();
}
