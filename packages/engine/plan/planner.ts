import type { OperatorAccess } from '@headgate/operators';
import {
  BadRequest,
  type ChangeRequest,
  createProblems,
  GatewayError,
  InvalidInput,
  JsonApplication,
} from 'headgate/driver-kit';
import type { OperatorSet, UsedProperties } from '../package-code/operator-set.js';
import { type ChangedApplication, withChanges } from './changes.js';
import { type Plan, planOf } from './logical.js';
import type { PhysicalPlan } from './physical.js';
import { physicalPlanOf } from './physical-planner.js';
import { giveOwn, type PartitionProperties } from './property-change.js';
import { checkReach } from './reach.js';

export interface Planned {
  readonly application: JsonApplication;
  readonly plan: Plan;
  readonly physical: PhysicalPlan;
  /** What single partitions have of their own, and keep. */
  readonly own: PartitionProperties;
  /** Lets the operators of packages judge their properties: see `OperatorSet.verify`. */
  verify(): Promise<void>;
}

/** Checks applications and makes their plans: the same way for a launch and for a change of what runs. */
export interface Planner {
  /** Throws `InvalidInput` or `BadRequest` that tells all that is wrong, each with its place. */
  plan(application: JsonApplication, own: PartitionProperties): Planned;
  /** Throws them too; the places are those of the requests that are to blame. What stays keeps its ids. */
  change(
    current: Pick<Planned, 'application' | 'physical' | 'own'>,
    requests: readonly ChangeRequest[],
  ): Planned;
}

export function createPlanner({ registry, hint, verify }: OperatorSet, access: OperatorAccess): Planner {
  function plan(application: JsonApplication, own: PartitionProperties, before?: PhysicalPlan): Planned {
    const made = planOf(application, registry, hint);
    checkReach(made, access);
    const physical = physicalPlanOf(made, registry, before);
    const given = giveOwn(physical, own, access);
    return { application, plan: made, physical, own: given, verify: () => verify(usedIn(made, physical)) };
  }

  return {
    plan: (application, own) => plan(application, own),
    change(current, requests) {
      const changed = withChanges(current.application, requests, registry);
      const { physical } = current;
      const stays = physical.operators.filter(({ logical }) => !changed.created.has(logical.name));
      try {
        checkForm(changed.application);
        const own = keptOf(current.own, stays, changed);
        const planned = plan(changed.application, own, { ...physical, operators: stays });
        checkPartitions(stays, planned.physical);
        return {
          ...planned,
          verify: () =>
            planned.verify().catch((error) => {
              throw blamed(error, changed);
            }),
        };
      } catch (error) {
        throw blamed(error, changed);
      }
    },
  };
}

/** What operators and their partitions will be given; unifiers have the place of those whose output they join. */
const usedIn = ({ operators }: Plan, physical: PhysicalPlan): UsedProperties[] =>
  physical.operators.map(({ logical, type: { className }, properties }) => {
    const index = operators.indexOf(logical);
    const place = (property: string) => `operators.${index}.properties${property && `.${property}`}`;
    return { className, properties, place };
  });

/** A partition's own properties, but for those that the operator was given now, as when they change by themselves. */
function keptOf(
  own: PartitionProperties,
  stays: PhysicalPlan['operators'],
  { given }: ChangedApplication,
): PartitionProperties {
  return Object.fromEntries(
    stays.flatMap(({ key, logical }) => {
      const left = Object.entries(own[key] ?? {}).filter(([name]) => !given.get(logical.name)?.has(name));
      return left.length > 0 ? [[key, Object.fromEntries(left)]] : [];
    }),
  );
}

/** Names and limits, as a launch by the API has them. */
function checkForm(application: JsonApplication): void {
  const { error } = JsonApplication.safeParse(application);
  const problems = createProblems();
  for (const { path, message } of error?.issues ?? []) problems.add(path.join('.'), message);
  problems.throwIfAny();
}

/** The state of a partition belongs to its share of the keys. */
function checkPartitions(before: PhysicalPlan['operators'], { operators }: PhysicalPlan): void {
  const counts = new Map(operators.map(({ key, partition }) => [key, partition.count]));
  for (const { key, name, partition } of before) {
    const count = counts.get(key);
    if (count !== undefined && count !== partition.count)
      throw new BadRequest(
        'PARTITIONS_NOT_POSSIBLE',
        `The operator ${name} has ${partition.count} partitions and would have ${count}: their number can't change while it runs`,
      );
  }
}

/** A problem of the whole is told at the request that brought it. */
function blamed(error: unknown, { requestOf, application }: ChangedApplication): unknown {
  if (error instanceof InvalidInput)
    return new InvalidInput(
      error.issues.map(({ path, message }) => {
        const request = requestOf(path);
        if (request === undefined) return { path, message };
        const [, operator, member, ...property] = path.split('.');
        const name = application.operators[Number(operator)]?.name;
        const of = member === 'properties' && name ? `${property.join('.')} of ${name}: ` : '';
        return { path: `requests.${request}`, message: `${of}${message}` };
      }),
    );
  if (error instanceof GatewayError && error.status === 400)
    return new InvalidInput([{ path: 'requests', message: error.message }]);
  return error;
}
