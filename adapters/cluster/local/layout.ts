import type { OperatorState, Slot } from './physical-state.js';
import type { Plan } from './plan/logical.js';
import type { PhysicalPlan } from './plan/physical.js';

/**
 * The plan that an application runs by, and the places in which it does. A change of the plan replaces it as a whole:
 * whoever keeps one over time sees the plan as it was.
 */
export interface Layout {
  readonly plan: Plan;
  readonly physical: PhysicalPlan;
  /** In the order of the physical plan. */
  readonly operators: readonly OperatorState[];
  readonly slots: readonly Slot[];
  operator(id: string): OperatorState | undefined;
  slot(number: number): Slot | undefined;
  /** Those that run there; none for a slot that is not in this layout. */
  operatorsOn(slot: Slot): readonly OperatorState[];
}

/** Where the layout in force is found: to be read each time anew. */
export interface LayoutHolder {
  readonly layout: Layout;
}

export function createLayout(parts: Pick<Layout, 'plan' | 'physical' | 'operators' | 'slots'>): Layout {
  const byId = new Map(parts.operators.map((state) => [state.operator.id, state]));
  const byNumber = new Map(parts.slots.map((slot) => [slot.number, slot]));
  const bySlot = new Map(parts.slots.map((slot): [Slot, OperatorState[]] => [slot, []]));
  for (const state of parts.operators) {
    const slot = byNumber.get(state.operator.slot);
    if (slot) bySlot.get(slot)?.push(state);
  }
  return {
    ...parts,
    operator: (id) => byId.get(id),
    slot: (number) => byNumber.get(number),
    operatorsOn: (slot) => bySlot.get(slot) ?? [],
  };
}
