import { partOf, propertyPathOf, withPart } from './property-paths.js';

type Named = Readonly<Record<string, unknown>>;

/** An event, as the engine writes it down. */
export interface PartitionChange {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * What one partition was given: what its logical operator has, and what was set of this one alone since that was last
 * set of all. The master keeps no other record of the latter.
 */
export function withOwnChanges(
  recorded: Named,
  changes: readonly PartitionChange[],
  { id, logicalName }: { readonly id: string; readonly logicalName: string },
): Named {
  const own = new Map<string, unknown>();
  for (const { type, data } of changes) {
    const { operatorName, operatorId, propertyName, propertyValue = null } = data;
    if (typeof propertyName !== 'string') continue;
    if (type === 'SetOperatorProperty' && operatorName === logicalName) own.delete(propertyName);
    if (type === 'SetPhysicalOperatorProperty' && String(operatorId) === id)
      own.set(propertyName, propertyValue);
  }
  const values = new Map(Object.entries(recorded));
  for (const [name, value] of own) {
    const { head, parts } = propertyPathOf(name);
    if (partOf(values.get(head), parts) !== undefined)
      values.set(head, withPart(values.get(head), parts, value));
  }
  return Object.fromEntries(values);
}
