import { type ApplicationReport, BadRequest, type Master } from 'headgate/driver-kit';
import { type Answer, json } from './answers.js';

/** A running application as its own web service tells it. */
export interface MasterFacts {
  readonly report: ApplicationReport;
  readonly master: Master;
}

/** This engine has all of them. */
export function need<T>(facet: T | undefined): T {
  if (facet === undefined) throw new BadRequest('ENGINE_REFUSED', 'The engine can not do this');
  return facet;
}

export async function done(work: Promise<void>): Promise<Answer> {
  await work;
  return json({});
}

/** All values, or the one of this name where there is one. */
export const only = (
  values: Readonly<Record<string, unknown>>,
  name: string | null,
): Readonly<Record<string, unknown>> =>
  name === null ? values : Object.hasOwn(values, name) ? { [name]: values[name] } : {};
