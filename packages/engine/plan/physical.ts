import type { OperatorType } from '@headgate/operators';
import { BadRequest } from 'headgate/driver-kit';
import { PassThrough } from '../pass-through.js';
import type { OperatorRegistry } from '../registry.js';
import type { Plan, PlanOperator, PlanStream } from './logical.js';

export interface PhysicalOperator {
  /** `1`, `2`, ...: never taken by another operator of the application. */
  readonly id: string;
  /**
   * What it is in the logical plan, the same over restarts and changes of the plan: its state is kept under this name.
   * `{operator}/{partition}`, for unifiers `{name}>{reader}.{port}/{partition of the reader}`.
   */
  readonly key: string;
  /** For unifiers `{operator}.{port}#unifier`. */
  readonly name: string;
  readonly type: OperatorType;
  readonly isUnifier: boolean;
  /** The operator of the logical plan; of a unifier the one whose output it joins. */
  readonly logical: PlanOperator;
  /** In force: the partition's own over those of `logical`. Replaced as a whole when one changes at run time. */
  properties: Readonly<Record<string, unknown>>;
  readonly partition: { readonly index: number; readonly count: number };
  /** Number of its container. */
  slot: number;
}

export interface PhysicalConnection {
  readonly stream: PlanStream;
  readonly source: { readonly operator: PhysicalOperator; readonly port: string };
  readonly sink: { readonly operator: PhysicalOperator; readonly port: string; readonly label: string };
  /** The reader gets only its partition's tuples. */
  readonly split?: {
    readonly index: number;
    readonly count: number;
    readonly reader: PlanOperator;
    readonly port: string;
  };
}

export interface PhysicalPlan {
  readonly operators: readonly PhysicalOperator[];
  readonly connections: readonly PhysicalConnection[];
  /** Numbers of the containers, from 0; with gaps where a change of the plan ended some. */
  readonly slots: readonly number[];
  /** Smallest numbers that no operator and no container has had. */
  readonly next: { readonly id: number; readonly slot: number };
}

/**
 * Partitions, unifiers and containers of a logical plan. What was in the plan `before` keeps its id, and its container
 * where it can.
 */
export function physicalPlanOf(plan: Plan, registry: OperatorRegistry, before?: PhysicalPlan): PhysicalPlan {
  const counts = partitionCounts(plan);
  const operators: PhysicalOperator[] = [];
  const known = new Map(before?.operators.map((operator) => [operator.key, operator]));
  let nextId = before?.next.id ?? 1;
  const add = (operator: Omit<PhysicalOperator, 'id' | 'slot'>): PhysicalOperator => {
    const made = { ...operator, id: known.get(operator.key)?.id ?? String(nextId++), slot: -1 };
    operators.push(made);
    return made;
  };
  const parts = new Map<string, PhysicalOperator[]>();
  for (const logical of plan.operators) {
    const count = counts.get(logical.name) ?? 1;
    const made = Array.from({ length: count }, (_, index) =>
      add({
        key: `${logical.name}/${index}`,
        name: logical.name,
        type: logical.type,
        isUnifier: false,
        logical,
        properties: logical.properties,
        partition: { index, count },
      }),
    );
    parts.set(logical.name, made);
  }
  const connections: PhysicalConnection[] = [];
  const together: (readonly [PhysicalOperator, PhysicalOperator])[] = [];
  for (const stream of plan.streams) {
    const sources = parts.get(stream.source.operator) ?? [];
    const joined = stream.locality === 'THREAD_LOCAL' || stream.locality === 'CONTAINER_LOCAL';
    for (const sink of stream.sinks) {
      const readers = parts.get(sink.operator) ?? [];
      const port = { port: sink.port, label: sink.port };
      const parallel = isParallel(readers[0]?.logical, sink.port) && sources.length === readers.length;
      for (const [index, reader] of readers.entries()) {
        const source = sources[index];
        if (parallel && source) {
          connections.push({
            stream,
            source: { operator: source, port: stream.source.port },
            sink: { operator: reader, ...port },
          });
          if (joined) together.push([source, reader]);
          continue;
        }
        const split =
          readers.length > 1
            ? { split: { index, count: readers.length, reader: reader.logical, port: sink.port } }
            : {};
        const [only] = sources;
        if (sources.length === 1 && only) {
          connections.push({
            stream,
            source: { operator: only, port: stream.source.port },
            sink: { operator: reader, ...port },
            ...split,
          });
          if (joined) together.push([only, reader]);
          continue;
        }
        const unifier = add(unifierOf(sources, stream, `${sink.operator}.${sink.port}/${index}`, registry));
        together.push([unifier, reader]);
        const [input = 'input'] = Object.keys(unifier.type.inputs);
        const [output = 'output'] = Object.keys(unifier.type.outputs);
        for (const from of sources) {
          const label = `${input}(${from.id}.${stream.source.port})`;
          connections.push({
            stream,
            source: { operator: from, port: stream.source.port },
            sink: { operator: unifier, port: input, label },
            ...split,
          });
          if (joined) together.push([from, reader]);
        }
        connections.push({
          stream,
          source: { operator: unifier, port: output },
          sink: { operator: reader, ...port },
        });
      }
    }
  }
  const nextSlot = place(operators, together, known, before?.next.slot ?? 0);
  const slots = [...new Set(operators.map(({ slot }) => slot))];
  return { operators, connections, slots, next: { id: nextId, slot: nextSlot } };
}

function partitionCounts(plan: Plan): ReadonlyMap<string, number> {
  const counts = new Map(
    plan.operators.map(({ name, attributes }) => [name, Number(attributes['PARTITIONER'] ?? 1)]),
  );
  const parallels = plan.streams.flatMap(({ source, sinks }) =>
    sinks
      .filter((sink) =>
        isParallel(
          plan.operators.find(({ name }) => name === sink.operator),
          sink.port,
        ),
      )
      .map((sink) => ({ source: source.operator, reader: sink.operator })),
  );
  // Parallel readers take the count of what they read, along chains of them.
  for (let round = 0; round < parallels.length; round++)
    for (const { source, reader } of parallels) counts.set(reader, counts.get(source) ?? 1);
  const uneven = parallels.find(({ source, reader }) => counts.get(reader) !== counts.get(source));
  if (uneven)
    throw new BadRequest(
      'PARTITIONS_NOT_POSSIBLE',
      `The operator ${JSON.stringify(uneven.reader)} has PARTITION_PARALLEL on ports whose sources have different numbers of partitions`,
    );
  for (const { name, type } of plan.operators)
    if (Object.keys(type.dataSources ?? {}).length > 0 && (counts.get(name) ?? 1) > 1)
      throw new BadRequest(
        'PARTITIONS_NOT_POSSIBLE',
        `The operator ${JSON.stringify(name)} serves App Data, so it can't be partitioned: each partition would answer with its part`,
      );
  return counts;
}

const isParallel = (reader: PlanOperator | undefined, port: string): boolean =>
  reader?.ports.get(port)?.['PARTITION_PARALLEL'] === true;

function unifierOf(
  sources: readonly PhysicalOperator[],
  stream: PlanStream,
  reader: string,
  registry: OperatorRegistry,
): Omit<PhysicalOperator, 'id' | 'slot'> {
  const [source] = sources;
  if (!source) throw new BadRequest('DEFINITION_NOT_VALID', `The stream ${stream.name} has no source`);
  const className = source.type.outputs[stream.source.port]?.unifier;
  const type = className === undefined ? PassThrough : registry.get(className);
  if (!type)
    throw new BadRequest(
      'DEFINITION_NOT_VALID',
      `${source.type.className} names the unifier ${className}, which is no known class`,
    );
  const parsed = type.properties.safeParse(source.properties);
  if (!parsed.success)
    throw new BadRequest(
      'DEFINITION_NOT_VALID',
      `The unifier ${className} does not take the properties of ${source.type.className}`,
    );
  const name = `${source.name}.${stream.source.port}#unifier`;
  return {
    key: `${name}>${reader}`,
    name,
    type,
    isUnifier: true,
    logical: source.logical,
    properties: parsed.data,
    partition: { index: 0, count: 1 },
  };
}

/**
 * One container per operator, but for those that belong together. Each group stays where the first of its operators
 * was that finds its place free. Gives the next free number.
 */
function place(
  operators: readonly PhysicalOperator[],
  together: readonly (readonly [PhysicalOperator, PhysicalOperator])[],
  before: ReadonlyMap<string, PhysicalOperator>,
  firstFree: number,
): number {
  const groups = groupsOf(operators, together);
  const taken = new Set<number>();
  let free = firstFree;
  for (const group of groups) {
    const known = group.flatMap(({ key }) => before.get(key)?.slot ?? []).find((slot) => !taken.has(slot));
    const slot = known ?? free++;
    taken.add(slot);
    for (const operator of group) operator.slot = slot;
  }
  return free;
}

/** In the order of their first operators. */
function groupsOf(
  operators: readonly PhysicalOperator[],
  together: readonly (readonly [PhysicalOperator, PhysicalOperator])[],
): PhysicalOperator[][] {
  const leader = new Map(operators.map((operator) => [operator, operator]));
  const find = (operator: PhysicalOperator): PhysicalOperator => {
    let found = operator;
    for (let next = leader.get(found); next && next !== found; next = leader.get(found)) found = next;
    return found;
  };
  for (const [one, other] of together) leader.set(find(other), find(one));
  const groups = new Map<PhysicalOperator, PhysicalOperator[]>();
  for (const operator of operators) {
    const first = find(operator);
    const group = groups.get(first);
    if (group) group.push(operator);
    else groups.set(first, [operator]);
  }
  return [...groups.values()];
}
