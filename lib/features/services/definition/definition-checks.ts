import { loadPattern } from '../../../formats/load-pattern.js';
import { BadRequest, Conflict, InvalidInput } from '../../../model/errors.js';
import { timeSlice } from '../../../runtime/event-loop.js';
import { checkSource } from '../../../runtime/source.js';
import { baseOf } from '../proxy-address.js';
import type { NamedService, ServiceDefinition } from '../schema.js';
import { circleIn } from './dependency-graph.js';
import { revisionOf } from './revision.js';
import { variablesIn, withVariables } from './variables.js';

/** One that is installed, as far as others must fit it. */
export interface Present {
  readonly name: string;
  readonly definition: ServiceDefinition;
}

export const isSame = (a: ServiceDefinition, b: ServiceDefinition): boolean =>
  revisionOf(a) === revisionOf(b);

/** Rejects with `BadRequest` naming a pattern that can't be used. They may be many: others get their turn meanwhile. */
export async function checkPatterns({ proxy }: ServiceDefinition, at: string): Promise<void> {
  const pacing = timeSlice();
  for (const [index, texts] of (proxy?.replaceStrings ?? []).entries()) {
    for (const field of ['matchUrl', 'matchText'] as const) {
      const text = texts[field];
      if (text === undefined) continue;
      if (pacing.isOver()) await pacing.next();
      await loadPattern(text, `${at}.proxy.replaceStrings.${index}.${field}`);
    }
  }
}

/** Variables in what is needed to install and start it. */
export function variablesOf(definition: ServiceDefinition): readonly string[] {
  const texts =
    definition.type === 'container'
      ? [definition.container.run, definition.container.exec ?? '']
      : Object.values(definition.engine.launchArgs);
  return [...texts, definition.srcUrl ?? ''].flatMap(variablesIn);
}

/** Throws `InvalidInput` for an address that can't be one, whatever its variables turn out to be. */
export function checkAddresses({ srcUrl, proxy }: ServiceDefinition, at: string): void {
  const problems: { path: string; message: string }[] = [];
  const tryOut = (path: string, text: string | undefined, check: (text: string) => void) => {
    // One alone may be any address; within one it stands for a part, and any number fits wherever a part does.
    if (text === undefined || /^\$\{[^{}]*\}/.test(text)) return;
    try {
      check(withVariables(text, '1'));
    } catch (error) {
      if (!(error instanceof BadRequest)) throw error;
      problems.push({ path: `${at}.${path}`, message: error.message });
    }
  };
  tryOut('srcUrl', srcUrl, checkSource);
  tryOut('proxy.address', proxy?.address, baseOf);
  if (problems.length > 0) throw new InvalidInput(problems);
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
      if (other !== undefined)
        throw new Conflict('NAME_TAKEN', `/proxy/services/${path}/ belongs to the service ${other}`);
      taken.set(path, name);
    }
  }
}
