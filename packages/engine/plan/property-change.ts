import { isDeepStrictEqual } from 'node:util';
import type { OperatorAccess, OperatorType } from '@headgate/operators';
import { createProblems, NotFound, type Problems } from 'headgate/driver-kit';
import type { Plan } from './logical.js';
import type { PhysicalOperator, PhysicalPlan } from './physical.js';
import { classMarkers, readProperties } from './properties.js';
import { checkReachOf } from './reach.js';

export type Properties = Readonly<Record<string, unknown>>;
/** What single partitions have of their own, by their keys. */
export type PartitionProperties = Readonly<Record<string, Properties>>;

export interface PlanProperties {
  readonly plan: Plan;
  readonly physical: PhysicalPlan;
  readonly own: PartitionProperties;
}

/** All that follows from new properties of one operator; nothing is changed yet. */
export interface PropertyChange {
  readonly operatorName: string;
  /** Of the operator in the logical plan. */
  readonly logical: Properties;
  /** Those that are in force in each physical operator that is touched, by its id. */
  readonly physical: ReadonlyMap<string, Properties>;
  readonly own: PartitionProperties;
  /** What the logical operator was given; `undefined` for a default. */
  readonly written: ReadonlyMap<string, unknown>;
  /** Names of those that have another value now. */
  readonly changed: readonly string[];
}

/** Of a property that a client sent. */
export const placeInBody = (property: string): string => (property === '' ? 'body' : `body.${property}`);

/**
 * New values for an operator and all of its partitions: what one had of its own under these names is gone. `null`
 * stands for the default. Throws `NotFound` for an operator or a property that there is not, and `InvalidInput` that
 * names each value which does not fit, or which names what applications may not reach.
 */
export function logicalChange(
  { plan, physical, own }: PlanProperties,
  operatorName: string,
  values: Properties,
  access: OperatorAccess,
): PropertyChange {
  const operator = plan.operators.find(({ name }) => name === operatorName);
  if (!operator) throw new NotFound('operator', operatorName);
  const problems = createProblems();
  const given = overlaid(operator.type, operator.properties, {}, values, problems);
  const logical = checked(operator.type, given, access, problems);
  problems.throwIfAny();

  const nextOwn = { ...own };
  const next = new Map<string, Properties>();
  for (const one of physical.operators.filter((candidate) => candidate.logical === operator)) {
    const left = without(own[one.key] ?? {}, Object.keys(values));
    setOwn(nextOwn, one.key, left);
    next.set(one.id, checked(one.type, { ...baseOf(one, logical, problems), ...left }, access, problems));
  }
  problems.throwIfAny();
  const changed = namesIn(values).filter(
    (name) =>
      !isDeepStrictEqual(operator.properties[name], logical[name]) ||
      physical.operators.some(
        ({ id, properties }) => next.has(id) && !isDeepStrictEqual(properties[name], next.get(id)?.[name]),
      ),
  );
  const written = new Map(
    namesIn(values).map((name) => [
      name,
      isReset(operator.type, name, values[name]) ? undefined : logical[name],
    ]),
  );
  return { operatorName, logical, physical: next, own: nextOwn, written, changed };
}

/** New values for one partition, or one unifier. `null` stands for what the logical operator has. Throws as `logicalChange`. */
export function partitionChange(
  { physical, own }: PlanProperties,
  operatorId: string,
  values: Properties,
  access: OperatorAccess,
): PropertyChange {
  const operator = physical.operators.find(({ id }) => id === operatorId);
  if (!operator) throw new NotFound('physical operator', operatorId);
  const { logical } = operator;
  const problems = createProblems();
  const base = baseOf(operator, logical.properties, problems);
  const given = overlaid(operator.type, operator.properties, base, values, problems);
  const properties = checked(operator.type, given, access, problems);
  problems.throwIfAny();

  const names = namesIn(values);
  const kept = names.filter((name) => !isReset(operator.type, name, values[name]));
  const nextOwn = { ...own };
  setOwn(nextOwn, operator.key, {
    ...without(own[operator.key] ?? {}, names),
    ...Object.fromEntries(kept.map((name) => [name, properties[name]])),
  });
  return {
    operatorName: logical.name,
    logical: logical.properties,
    physical: new Map([[operatorId, properties]]),
    own: nextOwn,
    written: new Map(),
    changed: names.filter((name) => !isDeepStrictEqual(operator.properties[name], properties[name])),
  };
}

/**
 * Gives the partitions of a plan that was just made what they have of their own, and tells what of it is still there.
 * Throws `InvalidInput` when it does not fit.
 */
export function giveOwn(
  physical: PhysicalPlan,
  own: PartitionProperties,
  access: OperatorAccess,
): PartitionProperties {
  const problems = createProblems();
  const given: Record<string, Properties> = {};
  for (const operator of physical.operators) {
    const mine = own[operator.key];
    if (!mine) continue;
    operator.properties = checked(operator.type, { ...operator.properties, ...mine }, access, problems);
    given[operator.key] = mine;
  }
  problems.throwIfAny();
  return given;
}

/** A unifier takes what it knows of the properties of the operator whose output it joins. */
function baseOf({ type, isUnifier }: PhysicalOperator, logical: Properties, problems: Problems): Properties {
  if (!isUnifier) return logical;
  const parsed = type.properties.safeParse(logical);
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues)
    problems.add(placeInBody(path.join('.')), `the unifier ${type.className} does not take it: ${message}`);
  return {};
}

function overlaid(
  type: OperatorType,
  current: Properties,
  fallback: Properties,
  values: Properties,
  problems: Problems,
): Properties {
  const given = { ...current };
  for (const [name, value] of Object.entries(values)) {
    if (classMarkers.has(name)) {
      if (value !== type.className)
        problems.add(placeInBody(name), 'the class of an operator can not be changed');
      continue;
    }
    if (!Object.hasOwn(type.properties.shape, name))
      throw new NotFound('property', name, Object.keys(type.properties.shape));
    if (!isReset(type, name, value)) given[name] = value;
    else if (Object.hasOwn(fallback, name)) given[name] = fallback[name];
    else delete given[name];
  }
  return given;
}

function checked(
  type: OperatorType,
  given: Properties,
  access: OperatorAccess,
  problems: Problems,
): Properties {
  const parsed = readProperties(type, given, placeInBody, problems);
  checkReachOf(type, parsed, access, placeInBody, problems);
  return parsed;
}

const namesIn = (values: Properties): string[] =>
  Object.keys(values).filter((name) => !classMarkers.has(name));

/** Where a property may be `null`, that is a value like any other. */
function isReset({ properties }: OperatorType, name: string, value: unknown): boolean {
  if (value !== null) return false;
  const parsed = properties.shape[name]?.safeParse(null);
  return !(parsed?.success && parsed.data === null);
}

function setOwn(own: Record<string, Properties>, key: string, values: Properties): void {
  if (Object.keys(values).length > 0) own[key] = values;
  else delete own[key];
}

const without = (values: Properties, names: readonly string[]): Properties =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
