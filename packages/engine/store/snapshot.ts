import { AppStats, Container, LogicalOperator, LogicalPlan, PhysicalPlan } from 'headgate/driver-kit';
import * as z from 'zod';

/** How an application last looked: what is told of it after its end. */
export const Snapshot = z.object({
  containers: z.array(Container),
  physicalPlan: PhysicalPlan,
  logicalPlan: LogicalPlan,
  /** Of each physical operator, by its id. */
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  logicalOperators: z.array(LogicalOperator),
  attributes: z.record(z.string(), z.unknown()),
  metrics: z.record(z.string(), z.record(z.string(), z.unknown())),
  stats: AppStats.exactOptional(),
});
export type Snapshot = z.output<typeof Snapshot>;

export const emptySnapshot: Snapshot = {
  containers: [],
  physicalPlan: { operators: [], streams: [] },
  logicalPlan: { operators: [], streams: [] },
  properties: {},
  logicalOperators: [],
  attributes: {},
  metrics: {},
};

const notRecorded = { recordingStartTime: -1, recordingId: null };

/** Nothing runs any more: times of the end filled in, states set. */
export const ended = (snapshot: Snapshot, at: number): Snapshot => ({
  ...snapshot,
  containers: snapshot.containers.map((container) => ({
    ...container,
    state: 'KILLED',
    finishedTime: container.finishedTime > 0 ? container.finishedTime : at,
  })),
  physicalPlan: {
    ...snapshot.physicalPlan,
    operators: snapshot.physicalPlan.operators.map((operator) => ({
      ...operator,
      status: 'INACTIVE',
      ...notRecorded,
      ports: operator.ports.map((port) => ({ ...port, ...notRecorded })),
    })),
  },
  logicalOperators: snapshot.logicalOperators.map((operator) => ({
    ...operator,
    status: { INACTIVE: operator.partitions.length + operator.unifiers.length },
  })),
});
