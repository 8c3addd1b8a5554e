import type { OperatorRegistry } from '../operators/registry.js';
import type { Plan, PlanOperator, PlanStream } from './logical.js';
import { isParallel, partitionCounts } from './partitions.js';
import type { PhysicalConnection, PhysicalOperator, PhysicalPlan } from './physical.js';
import { place } from './placement.js';
import { unifierOf } from './unifiers.js';

/** Without an id and a place. */
type Outlined = Omit<PhysicalOperator, 'id' | 'slot'>;

/**
 * Partitions, unifiers and containers of a logical plan. What was in the plan `before` keeps its id, and its container
 * where it can.
 */
export function physicalPlanOf(plan: Plan, registry: OperatorRegistry, before?: PhysicalPlan): PhysicalPlan {
  const counts = partitionCounts(plan);
  const operators: PhysicalOperator[] = [];
  const known = new Map(before?.operators.map((operator) => [operator.key, operator]));
  let nextId = before?.next.id ?? 1;
  const add = (operator: Outlined): PhysicalOperator => {
    const made = { ...operator, id: known.get(operator.key)?.id ?? String(nextId++), slot: -1 };
    operators.push(made);
    return made;
  };
  const parts = new Map(
    plan.operators.map((logical) => [
      logical.name,
      partitionsOf(logical, counts.get(logical.name) ?? 1).map(add),
    ]),
  );
  const links: Link[] = [];
  for (const stream of plan.streams)
    for (const sink of stream.sinks) {
      const sources = parts.get(stream.source.operator) ?? [];
      const readers = parts.get(sink.operator) ?? [];
      for (const index of readers.keys())
        links.push(
          linkOf({ stream, sink, sources, readers, index }, (reader) =>
            add(unifierOf(sources, stream, reader, registry)),
          ),
        );
    }
  const together = links.flatMap((link) => link.together);
  const nextSlot = place(operators, together, known, before?.next.slot ?? 0);
  return {
    operators,
    connections: links.flatMap((link) => link.connections),
    slots: [...new Set(operators.map(({ slot }) => slot))],
    next: { id: nextId, slot: nextSlot },
  };
}

const partitionsOf = (logical: PlanOperator, count: number): Outlined[] =>
  Array.from({ length: count }, (_, index) => ({
    key: `${logical.name}/${index}`,
    name: logical.name,
    type: logical.type,
    isUnifier: false,
    logical,
    properties: logical.properties,
    partition: { index, count },
  }));

/** A stream on its way to one partition of one of its readers. */
interface Way {
  readonly stream: PlanStream;
  readonly sink: PlanStream['sinks'][number];
  readonly sources: readonly PhysicalOperator[];
  readonly readers: readonly PhysicalOperator[];
  /** Of the partition. */
  readonly index: number;
}

interface Link {
  readonly connections: readonly PhysicalConnection[];
  /** Who belongs into one container. */
  readonly together: readonly (readonly [PhysicalOperator, PhysicalOperator])[];
}

/** From one source straight to the reader; from several by a unifier, which sits with the reader. */
function linkOf(way: Way, addUnifier: (reader: string) => PhysicalOperator): Link {
  const { stream, sink, sources, readers, index } = way;
  const reader = readers[index];
  if (!reader) return { connections: [], together: [] };
  const isJoined = stream.locality === 'THREAD_LOCAL' || stream.locality === 'CONTAINER_LOCAL';
  const { port } = stream.source;
  const to = { operator: reader, port: sink.port, label: sink.port };
  const split =
    readers.length > 1
      ? { split: { index, count: readers.length, reader: reader.logical, port: sink.port } }
      : {};
  const straight = (operator: PhysicalOperator, part: typeof split): Link => ({
    connections: [{ stream, source: { operator, port }, sink: to, ...part }],
    together: isJoined ? [[operator, reader]] : [],
  });

  const own = sources[index];
  if (own && isParallel(reader.logical, sink.port) && sources.length === readers.length)
    return straight(own, {});
  const [only] = sources;
  if (only && sources.length === 1) return straight(only, split);

  const unifier = addUnifier(`${sink.operator}.${sink.port}/${index}`);
  const [input = 'input'] = Object.keys(unifier.type.inputs);
  const [output = 'output'] = Object.keys(unifier.type.outputs);
  return {
    connections: [
      ...sources.map((operator) => ({
        stream,
        source: { operator, port },
        sink: { operator: unifier, port: input, label: `${input}(${operator.id}.${port})` },
        ...split,
      })),
      { stream, source: { operator: unifier, port: output }, sink: to },
    ],
    together: [[unifier, reader], ...(isJoined ? sources.map((from) => [from, reader] as const) : [])],
  };
}
