import { BadRequest } from 'headgate/driver-kit';
import type { Plan, PlanOperator } from './logical.js';

/** How many partitions each operator has, by its name. */
export function partitionCounts(plan: Plan): ReadonlyMap<string, number> {
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

/** Whether each partition of the reader has one of the source to itself. */
export const isParallel = (reader: PlanOperator | undefined, port: string): boolean =>
  reader?.ports.get(port)?.['PARTITION_PARALLEL'] === true;
