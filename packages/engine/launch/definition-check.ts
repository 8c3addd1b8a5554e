import type { OperatorAccess } from '@headgate/operators';
import { type InputIssue, InvalidInput, JsonApplication, type Launcher } from 'headgate/driver-kit';
import type { OperatorSet } from '../package-code/operator-set.js';
import { problemsOf } from '../plan/logical.js';
import { createPlanner } from '../plan/planner.js';

export type DefinitionCheck = Parameters<NonNullable<Launcher['check']>>[0];

/** All that is wrong with a definition. */
export async function problemsWith(
  definition: DefinitionCheck['application'],
  operators: OperatorSet,
  access: OperatorAccess,
): Promise<readonly InputIssue[]> {
  const whole = JsonApplication.safeParse(definition);
  if (!whole.success) return problemsOf(definition, operators.registry);
  try {
    await createPlanner(operators, access).plan(whole.data, {}).verify();
    return [];
  } catch (error) {
    if (error instanceof InvalidInput) return error.issues;
    throw error;
  }
}
