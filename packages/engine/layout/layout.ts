import type { Plan } from '../plan/logical.js';
import type { PhysicalOperator, PhysicalPlan } from '../plan/physical.js';
import { operatorPlansOf } from './operator-plans.js';
import type { OperatorState, Slot } from './physical-state.js';

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
  /** Those that this one reads from. */
  sourcesOf(id: string): readonly OperatorState[];
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
  const sources = new Map<string, OperatorState[]>();
  for (const { source, sink } of parts.physical.connections) {
    const state = byId.get(source.operator.id);
    if (state) sources.set(sink.operator.id, [...(sources.get(sink.operator.id) ?? []), state]);
  }
  return {
    ...parts,
    sourcesOf: (id) => sources.get(id) ?? [],
    operator: (id) => byId.get(id),
    slot: (number) => byNumber.get(number),
    operatorsOn: (slot) => bySlot.get(slot) ?? [],
  };
}

/**
 * The layout after a change of the plan. What stays keeps its place, its state and what was measured of it; the one
 * before is left as it is.
 */
export function changedLayout(
  before: Layout,
  next: Pick<Layout, 'plan' | 'physical'>,
  arriving: readonly Slot[],
  begin: (operator: PhysicalOperator) => OperatorState,
): Layout {
  const { plan, physical } = next;
  const operators = physical.operators.map((operator) => {
    const known = before.operator(operator.id);
    return known ? { ...known, operator } : begin(operator);
  });
  const slots = physical.slots.flatMap(
    (number) => before.slot(number) ?? arriving.find((slot) => slot.number === number) ?? [],
  );
  return createLayout({ plan, physical, operators, slots });
}

/** Numbers of the containers whose operators, or what these read and write, are not the same in both. */
export function touchedBy(before: Layout, next: Layout): number[] {
  const described = (layout: Layout, number: number) =>
    JSON.stringify(
      operatorPlansOf(number, {
        plan: layout.physical,
        attributes: {},
        addressOf: String,
        stateOf: () => ({ file: undefined, finished: false, isFirst: false }),
        queueBytes: 0,
        replayBytes: 0,
      }),
    );
  return next.slots
    .map(({ number }) => number)
    .filter((number) => described(before, number) !== described(next, number));
}
