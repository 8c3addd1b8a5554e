import type { LogicalOperator, LogicalPlan } from 'headgate/driver-kit';
import * as z from 'zod';
import { Id, Moment, numbersOf, Quantity, Values, WindowId } from '../wire/values.js';
import { withoutSecrets } from './info.js';
import { isRecord } from './physical.js';

const NullableValues = Values.nullish().transform((values) => values ?? {});

const PlanOperator = z.object({
  name: z.string(),
  class: z.string(),
  attributes: NullableValues,
  properties: NullableValues,
  ports: z
    .array(
      z.object({
        name: z.string(),
        type: z.string().transform((type) => (/out/i.test(type) ? ('output' as const) : ('input' as const))),
        attributes: NullableValues,
      }),
    )
    .default([]),
});

const End = z.object({ operatorName: z.string(), portName: z.string() });

/** The logical plan, as a master tells it. */
export const MasterLogicalPlan = z.object({
  operators: z.array(PlanOperator),
  streams: z
    .array(
      z.object({
        name: z.string(),
        source: End,
        sinks: z.array(End),
        locality: z
          .enum(['THREAD_LOCAL', 'CONTAINER_LOCAL', 'NODE_LOCAL', 'RACK_LOCAL'])
          .nullish()
          .catch(null),
      }),
    )
    .default([]),
});

/** Attributes of the application are left out: they have a place of their own. */
export const logicalPlanView = ({ operators, streams }: z.output<typeof MasterLogicalPlan>): LogicalPlan => ({
  operators: operators.map(({ properties, ...operator }) => {
    const { '@class': marked, ...values } = properties;
    return {
      ...operator,
      attributes: withoutSecrets(operator.attributes),
      properties: { class: marked ?? operator.class, ...values },
    };
  }),
  streams: streams.map(({ locality, ...stream }) => ({ ...stream, locality: locality ?? null })),
});

const Ids = z
  .array(Id)
  .nullish()
  .transform((ids) => ids ?? []);

const Operator = z.object({
  name: z.string(),
  className: z.string(),
  containerIds: Ids,
  hosts: Ids,
  partitions: Ids,
  unifiers: Ids,
  cpuPercentageMA: Quantity,
  currentWindowId: WindowId,
  recoveryWindowId: WindowId,
  failureCount: Quantity,
  lastHeartbeat: Moment,
  latencyMA: Quantity,
  status: z
    .record(z.string(), Quantity)
    .nullish()
    .transform((status) => status ?? {}),
  totalTuplesEmitted: Quantity,
  totalTuplesProcessed: Quantity,
  tuplesEmittedPSMA: Quantity,
  tuplesProcessedPSMA: Quantity,
  counters: z.unknown(),
  autoMetrics: Values.nullish(),
  checkpointTimeMA: Quantity,
});

export const MasterLogicalOperators = z.object({ operators: z.array(Operator) });

export const logicalOperatorView = ({
  counters,
  autoMetrics,
  ...operator
}: z.output<typeof Operator>): LogicalOperator => ({
  ...operator,
  autoMetrics: autoMetrics ? numbersOf(autoMetrics) : null,
  ...(isRecord(counters) ? { counters: numbersOf(counters) } : {}),
});
