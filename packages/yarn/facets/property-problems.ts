import type { InputIssue } from 'headgate/driver-kit';
import type { Declared } from './class-declarations.js';
import { kindOfDeclared, kindOfRecorded, type PropertyKind } from './property-kinds.js';
import { partOf, propertyPathOf } from './property-paths.js';

type Named = Readonly<Record<string, unknown>>;

/**
 * What is wrong with changes of properties that there are. `declared`: what the class says of them; `undefined`: nobody
 * can tell, and what the master has now has to do.
 */
export const problemsWith = (values: Named, recorded: Named, declared: Declared | undefined): InputIssue[] =>
  Object.entries(values).flatMap(([name, value]) => {
    const message = problemOf(name, value, recorded, declared);
    return message === undefined ? [] : [{ path: `body.${name}`, message }];
  });

function problemOf(
  name: string,
  value: unknown,
  recorded: Named,
  declared: Declared | undefined,
): string | undefined {
  const { head, parts } = propertyPathOf(name);
  const property = declared?.get(head);
  if (parts.length === 0) {
    if (property?.canSet === false) return 'it can be read only: its class has no setter for it';
    // Stands for the default.
    if (value === null) return undefined;
    return misfit(property ? kindOfDeclared(property) : kindOfRecorded(recorded[head]), value);
  }
  const part = partOf(recorded[head], parts);
  if (part === undefined) return `there is no such part of ${head}`;
  // Nobody describes the classes inside.
  return misfit(kindOfRecorded(part), value);
}

const misfit = (kind: PropertyKind | undefined, value: unknown): string | undefined =>
  !kind || kind.fits(value) ? undefined : `expected ${kind.name}`;
