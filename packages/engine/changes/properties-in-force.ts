import type { Plan } from '../plan/logical.js';
import type { PhysicalPlan } from '../plan/physical.js';
import type { Properties, PropertyChange } from '../plan/property-change.js';
import type { ApplicationRecord } from '../store/record.js';

/** Where properties stand that are in force. */
export interface PropertyHolder {
  readonly plan: Plan;
  readonly physical: PhysicalPlan;
  readonly record: ApplicationRecord;
  update(change: Partial<ApplicationRecord>): void;
}

/** The properties that a running application has, in its plans and in its record. */
interface PropertiesInForce {
  /** Puts a change in force. Returns what takes it back. */
  apply(change: PropertyChange): () => void;
  /** The values in force of what is changed. */
  of(change: PropertyChange): Pick<PropertyChange, 'logical' | 'physical'>;
}

export function propertiesInForce(state: PropertyHolder): PropertiesInForce {
  const operatorOf = ({ operatorName }: PropertyChange) =>
    state.plan.operators.find(({ name }) => name === operatorName);

  function set(change: PropertyChange, { logical, physical }: ReturnType<PropertiesInForce['of']>): void {
    const operator = operatorOf(change);
    if (operator) operator.properties = logical;
    for (const one of state.physical.operators) one.properties = physical.get(one.id) ?? one.properties;
  }

  const of = (change: PropertyChange) => ({
    logical: operatorOf(change)?.properties ?? {},
    physical: new Map<string, Properties>(
      state.physical.operators
        .filter(({ id }) => change.physical.has(id))
        .map(({ id, properties }) => [id, properties]),
    ),
  });

  return {
    of,
    apply(change) {
      const before = of(change);
      const { application: plan, partitionProperties = {} } = state.record;
      set(change, change);
      state.update(withProperties(state.record, change));
      return () => {
        set(change, before);
        state.update({ application: plan, partitionProperties });
      };
    },
  };
}

/** What a restart begins with. */
function withProperties(record: ApplicationRecord, change: PropertyChange): ApplicationRecord {
  const operators = record.application.operators.map((operator) => {
    if (operator.name !== change.operatorName || change.written.size === 0) return operator;
    const properties = { ...operator.properties };
    for (const [name, value] of change.written) {
      if (value === undefined) delete properties[name];
      else properties[name] = value;
    }
    return { ...operator, properties };
  });
  return {
    ...record,
    application: { ...record.application, operators },
    partitionProperties: { ...change.own },
  };
}
