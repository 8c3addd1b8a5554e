import { BadRequest, type JsonApplication, type LaunchRequest, withProperties } from 'headgate/driver-kit';
import type { OperatorSet } from '../package-code/operator-set.js';
import { propertyKnowledge } from '../plan/logical.js';
import type { PhysicalPlan } from '../plan/physical.js';
import type { Planned, Planner } from '../plan/planner.js';
import type { ApplicationRecord, SavedState } from '../store/record.js';

export interface LaunchRequested {
  readonly request: LaunchRequest;
  /** Without the launch properties. */
  readonly definition: JsonApplication;
  readonly operators: OperatorSet;
  /** It goes on from the saved state of this application. */
  readonly from: ApplicationRecord | undefined;
}

export interface LaunchPlan extends Omit<Planned, 'verify'> {
  /** State that it begins with. */
  readonly initial: SavedState | undefined;
}

export function definitionOf({ name, application, packaged }: LaunchRequest): JsonApplication {
  if (application) return application;
  const { type = 'class', file = 'a jar', className } = packaged ?? {};
  const what = className === undefined ? `in ${file}` : `in ${file} (${className})`;
  throw new BadRequest(
    'APPLICATION_TYPE_NOT_SUPPORTED',
    `The driver "local" runs JSON applications only: ${JSON.stringify(name)} is a ${type} application ${what}, which needs a JVM`,
  );
}

/**
 * Plans by the definition that was asked for; by that of the other application where its saved state fits only that,
 * since its plan was changed while it ran, and the package does not know.
 */
export async function planLaunch(
  { request, definition, operators, from }: LaunchRequested,
  planner: Planner,
): Promise<LaunchPlan> {
  const application = withProperties(
    definition,
    {
      name: request.packaged?.name ?? request.name,
      properties: request.properties ?? {},
      ...(request.defaults ? { defaults: request.defaults } : {}),
    },
    propertyKnowledge(operators.registry),
  );
  const planned = planner.plan(application, from?.partitionProperties ?? {});
  const missing = from?.saved && missingPartition(from.saved, planned.physical);
  if (from && missing !== undefined) {
    if (definition === from.application || !wasChanged(from, request)) throw misfit(from.id, missing);
    return planLaunch({ request, definition: from.application, operators, from }, planner);
  }
  await planned.verify();
  const { plan, physical, own } = planned;
  return { application, plan, physical, own, initial: from?.saved };
}

/** The saved state must fit the plan: the same partitions under the same names. */
function missingPartition(saved: SavedState, physical: PhysicalPlan): string | undefined {
  const keys = new Set(physical.operators.map(({ key }) => key));
  return Object.entries(saved.states).find(([key, file]) => file !== null && !keys.has(key))?.[0];
}

const misfit = (from: string, partition: string) =>
  new BadRequest(
    'PARTITIONS_NOT_POSSIBLE',
    `The saved state of ${from} has the partition ${partition}, which the plan does not have; partitions can't change in a restart`,
  );

/** While it ran; and it is the same application of the same package. */
function wasChanged(
  { isPlanChanged, packageSource: before }: ApplicationRecord,
  request: LaunchRequest,
): boolean {
  const { packageSource: now } = request;
  return (
    isPlanChanged === true &&
    before?.user === now?.user &&
    before?.name === now?.name &&
    before?.version === now?.version &&
    before?.appName === now?.appName
  );
}
