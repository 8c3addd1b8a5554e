import { type EventReader, NotFound, undefinedIfUnknown } from 'headgate/driver-kit';
import type * as z from 'zod';
import type { MasterClient } from '../masters/client.js';
import { MasterOperators } from '../views/physical.js';
import { Values } from '../wire/values.js';
import { type PartitionChange, withOwnChanges } from './partition-changes.js';

const Operator = MasterOperators.shape.operators.element;
export type Operator = z.output<typeof Operator>;
export type Named = Readonly<Record<string, unknown>>;

/** What a running master has on record of its operators and of the properties that they were given. */
export interface RecordedProperties {
  /** A physical operator. Rejects with `NotFound`. */
  operator(id: string, signal: AbortSignal | undefined): Promise<Operator>;
  /** Of a logical operator, with its `class`. Rejects with `NotFound`. */
  ofLogical(name: string, signal: AbortSignal | undefined): Promise<Named>;
  /** Of one physical operator, with what was set of it alone. */
  ofPartition(operator: Operator, signal: AbortSignal | undefined): Promise<Named>;
}

/** Events that are looked through for what was set of one partition alone. */
const eventsRead = 1000;

export const operatorPath = (id: string): string => `physicalPlan/operators/${encodeURIComponent(id)}`;
export const logicalPath = (name: string): string => `logicalPlan/operators/${encodeURIComponent(name)}`;
export const logicalNameOf = (operator: Operator): string => operator.logicalName ?? operator.name;

export function recordedProperties(master: MasterClient, events: EventReader): RecordedProperties {
  async function ofLogical(name: string, signal: AbortSignal | undefined): Promise<Named> {
    const values = await master
      .get(Values, `${logicalPath(name)}/properties`, signal)
      .catch(undefinedIfUnknown);
    if (!values) throw new NotFound('operator', name);
    return values;
  }

  return {
    async operator(id, signal) {
      const found = /^\d{1,15}$/.test(id)
        ? await master.get(Operator, operatorPath(id), signal).catch(undefinedIfUnknown)
        : undefined;
      if (!found) throw new NotFound('physical operator', id);
      return found;
    },

    ofLogical,

    async ofPartition(operator, signal) {
      const logicalName = logicalNameOf(operator);
      const { class: _, ...recorded } = await ofLogical(logicalName, signal);
      const told = await events.read({ offset: 0, limit: eventsRead }, signal ? { signal } : {});
      const changes = told.map(({ type, data }): PartitionChange => ({ type, data }));
      return withOwnChanges(recorded, changes, { id: operator.id, logicalName });
    },
  };
}

/** Throws `NotFound` for a name that is not on record. */
export function requireRecorded(names: readonly string[], recorded: Named): void {
  const unknown = names.find((name) => name === 'class' || !Object.hasOwn(recorded, name));
  if (unknown !== undefined)
    throw new NotFound(
      'property',
      unknown,
      Object.keys(recorded).filter((name) => name !== 'class'),
    );
}
