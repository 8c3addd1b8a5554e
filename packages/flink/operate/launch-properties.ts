import { BadRequest, type LaunchRequest } from 'headgate/driver-kit';
import { programArguments } from './arguments.js';

type Properties = Readonly<Record<string, string>>;

/** What the properties of a launch come to. */
export interface LaunchSettings {
  readonly args: readonly string[];
  readonly parallelism?: number;
  /** Where the state lies that the job goes on from. */
  readonly savepoint?: string;
  readonly allowNonRestoredState: boolean;
  /** Options of Flink for this job alone. */
  readonly configuration: Properties;
}

const own = {
  args: 'flink.args',
  parallelism: 'flink.parallelism',
  savepoint: 'flink.savepoint',
  allowNonRestoredState: 'flink.allowNonRestoredState',
} as const;
const ownNames: readonly string[] = Object.values(own);

export const argsProperty = own.args;
export const savepointProperty = own.savepoint;
/** Flink's own: of a job whose program gives it no name. */
export const nameProperty = 'pipeline.name';

const maxParallelism = 32_768;

/** Those of other engines. */
const isForeign = (name: string): boolean => /^(?:apex|dt|platform)\./.test(name);
/** What the gateway itself has to say of a job, lest there be two of it. */
const isReserved = (name: string): boolean =>
  name.startsWith('$internal.') || ['execution.target', 'execution.attached'].includes(name);

/** Why there is no property of this name. */
export function problemOfProperty(name: string): string | undefined {
  if (isForeign(name)) return 'means nothing to Flink: give options of Flink, or flink.args';
  if (isReserved(name)) return 'is for the gateway to set: leave it out';
  return misspelt(name);
}

/**
 * Those in force: what was given with the launch over what weaker layers say, of which the ones are left out that mean nothing to
 * Flink. Throws `BadRequest` for such that were given.
 */
export function propertiesInForce({
  properties = {},
  defaults = {},
}: Pick<LaunchRequest, 'properties' | 'defaults'>): Properties {
  for (const name of Object.keys(properties)) {
    const problem = problemOfProperty(name);
    if (problem !== undefined) throw refusedProperty(name, problem);
  }
  const weaker = Object.entries(defaults).filter(([name]) => !isForeign(name) && !isReserved(name));
  return { ...Object.fromEntries(weaker), ...properties };
}

/** Throws `BadRequest` naming the property that can not be used. */
export function launchSettings(properties: Properties): LaunchSettings {
  for (const name of Object.keys(properties)) {
    const problem = misspelt(name);
    if (problem !== undefined) throw refusedProperty(name, problem);
  }
  const parallelism = properties[own.parallelism];
  const savepoint = properties[own.savepoint]?.trim();
  if (savepoint === '') throw refusedProperty(own.savepoint, 'is empty: write the path of a savepoint');
  return {
    args: programArguments(properties[own.args] ?? '', own.args),
    ...(parallelism === undefined ? {} : { parallelism: parallelismIn(parallelism) }),
    ...(savepoint === undefined ? {} : { savepoint }),
    allowNonRestoredState: flagIn(properties[own.allowNonRestoredState]),
    configuration: Object.fromEntries(
      Object.entries(properties).filter(([name]) => !ownNames.includes(name)),
    ),
  };
}

function parallelismIn(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= maxParallelism) return number;
  throw refusedProperty(own.parallelism, `must be a whole number from 1 to ${maxParallelism}`);
}

function flagIn(text = 'false'): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw refusedProperty(own.allowNonRestoredState, 'must be true or false');
}

/** One that is misspelt would be sent as an option that Flink does not have, and forgets. */
const misspelt = (name: string): string | undefined =>
  name.startsWith('flink.') && !ownNames.includes(name)
    ? `is not known: there are ${ownNames.join(', ')}`
    : undefined;

export const refusedProperty = (name: string, why: string) =>
  new BadRequest('LAUNCH_PROPERTY_REFUSED', `The property ${name} ${why}`, [
    { path: `body.${name}`, message: why },
  ]);
