import { Conflict, TimedOut, Unreachable, UnusableAnswer } from 'headgate/driver-kit';
import type { MasterClient } from '../masters/client.js';
import { Values } from '../wire/values.js';
import type { ClassDeclarations, Declared } from './class-declarations.js';
import { isSerializable } from './property-kinds.js';
import {
  logicalNameOf,
  type Named,
  type Operator,
  operatorPath,
  type RecordedProperties,
  requireRecorded,
} from './recorded-properties.js';

/** What the base class of operators has, and descriptions of classes leave out. */
const undeclared: readonly string[] = ['class', 'name'];

interface LiveDeps {
  readonly master: MasterClient;
  readonly declarations: ClassDeclarations;
  readonly recorded: RecordedProperties;
}

/**
 * Asks the container itself for the properties of an operator, or `only` for one. Rejects with `Conflict` when the answer
 * might end the container.
 */
export async function readLive(
  { master, declarations, recorded }: LiveDeps,
  operator: Operator,
  only: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Named> {
  const what = `The operator ${operator.name} (${operator.id})`;
  if (operator.status !== 'ACTIVE') throw new Unreachable(what);
  const known = await recorded.ofLogical(logicalNameOf(operator), signal);
  if (only !== undefined) requireRecorded([only], known);
  const declared = await declarations.of(master, operator.className, signal);
  const wanted = only === undefined ? Object.keys(known) : [only];
  const dangerous = wanted.filter((name) => !isSafe(name, declared));
  if (dangerous.length > 0)
    throw new Conflict(
      'PROPERTY_NOT_READABLE',
      `${what} can't be asked for ${dangerous.join(', ')}: values whose class is not known to be sent safely may end its container. Ask for one other property by propertyName, or without live`,
      { properties: dangerous },
    );
  const query = only === undefined ? '' : `?${new URLSearchParams({ propertyName: only })}`;
  const { class: _, ...values } = await master
    .get(Values, `${operatorPath(operator.id)}/properties${query}`, signal, 'live')
    .catch((error: unknown) => {
      // The container did not answer the master in time, or the master waits for others before.
      if (error instanceof UnusableAnswer || error instanceof TimedOut) throw new TimedOut(what);
      throw error;
    });
  if (Object.keys(values).length === 0) throw new TimedOut(what);
  return values;
}

function isSafe(name: string, declared: Declared | undefined): boolean {
  const property = declared?.get(name);
  return property ? isSerializable(property) : declared !== undefined && undeclared.includes(name);
}
