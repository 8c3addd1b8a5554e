import { Conflict, InvalidInput } from '../../core/errors.js';
import { compilePattern } from '../../core/pattern.js';
import { circleIn } from './required.js';
import { revisionOf } from './revision.js';
import type { NamedService, ServiceDefinition } from './schema.js';

/** One that is installed, as far as others must fit it. */
export interface Present {
  readonly name: string;
  readonly definition: ServiceDefinition;
}

export const isSame = (a: ServiceDefinition, b: ServiceDefinition): boolean =>
  revisionOf(a) === revisionOf(b);

/** Throws `BadRequest` naming a pattern that can't be used. */
export function checkPatterns({ proxy }: ServiceDefinition, at: string): void {
  for (const [index, { matchUrl, matchText }] of (proxy?.replaceStrings ?? []).entries()) {
    const place = `${at}.proxy.replaceStrings.${index}`;
    if (matchUrl !== undefined) compilePattern(matchUrl, `${place}.matchUrl`);
    compilePattern(matchText, `${place}.matchText`);
  }
}

/** Throws when the new ones and those that stay do not go together: a circle of requirements, a name of a proxy twice. */
export function checkTogether(fresh: readonly NamedService[], present: readonly Present[], at: string): void {
  const names = new Set(fresh.map(({ name }) => name));
  const stay = present.filter(({ name }) => !names.has(name));
  const needs = new Map<string, readonly string[]>(
    stay.map(({ name, definition }) => [name, definition.requiredServices]),
  );
  for (const { name, requiredServices } of fresh) needs.set(name, requiredServices);
  const circle = circleIn(needs);
  if (circle)
    throw new InvalidInput([
      { path: at, message: `requiredServices go round in a circle: ${circle.join(' needs ')}` },
    ]);

  const taken = new Map(stay.map(({ name }) => [name, name]));
  for (const { name, definition } of stay)
    if (definition.proxy?.name !== undefined) taken.set(definition.proxy.name, name);
  for (const { name, proxy } of fresh) {
    for (const path of new Set([name, proxy?.name ?? name])) {
      const other = taken.get(path);
      if (other !== undefined) throw new Conflict(`/proxy/services/${path}/ belongs to the service ${other}`);
      taken.set(path, name);
    }
  }
}
