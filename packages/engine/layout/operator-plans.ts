import type { PhysicalConnection, PhysicalOperator, PhysicalPlan } from '../plan/physical.js';
import type { InputLink, OperatorPlan, PublisherPlan } from '../protocol/protocol.js';

interface OperatorPlansDeps {
  readonly plan: PhysicalPlan;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Where the container of this number listens. */
  readonly addressOf: (slot: number) => string;
  readonly stateOf: (operator: PhysicalOperator) => {
    readonly file: string | undefined;
    readonly finished: boolean;
    readonly isFirst: boolean;
  };
  readonly queueBytes: number;
  readonly replayBytes: number;
}

/** What one container is told about its operators. */
export function operatorPlansOf(slot: number, deps: OperatorPlansDeps): OperatorPlan[] {
  return deps.plan.operators
    .filter((operator) => operator.slot === slot)
    .map((operator) => {
      const state = deps.stateOf(operator);
      const queue = [...operator.logical.ports.values()].map((port) => Number(port['QUEUE_CAPACITY'] ?? 0));
      return {
        id: operator.id,
        name: operator.name,
        className: operator.type.className,
        properties: operator.properties,
        attributes: { ...deps.attributes, ...operator.logical.attributes },
        partition: operator.partition,
        inputs: deps.plan.connections
          .filter(({ sink }) => sink.operator === operator)
          .map((one) => inputOf(one, deps)),
        publishers: publishersOf(operator, deps),
        ...(state.file === undefined ? {} : { stateFile: state.file }),
        finished: state.finished,
        isFirst: state.isFirst,
        queueCapacity: Math.max(0, ...queue) || 16_384,
      };
    });
}

const isLocal = ({ source, sink }: PhysicalConnection): boolean =>
  source.operator.slot === sink.operator.slot;

/** Who reads over this connection, as its publisher knows it. */
export const subscriberOf = ({ source, sink }: PhysicalConnection): string =>
  `${sink.operator.id}.${sink.port}<${source.operator.id}.${source.port}`;

/** Readers of whole streams share a publisher, so that a tuple is encoded once. */
const publisherOf = (connection: PhysicalConnection): string =>
  connection.split
    ? `${connection.source.operator.id}.${connection.source.port}>${connection.sink.operator.id}.${connection.sink.port}`
    : `${connection.source.operator.id}.${connection.source.port}`;

function splitOf({ split }: PhysicalConnection): Pick<InputLink, 'split'> {
  if (!split) return {};
  const { index, count, reader, port } = split;
  return {
    split: {
      index,
      count,
      reader: reader.name,
      className: reader.type.className,
      port,
      properties: reader.properties,
    },
  };
}

function inputOf(connection: PhysicalConnection, deps: OperatorPlansDeps): InputLink {
  const { source, sink } = connection;
  const common = { port: sink.port, label: sink.label };
  if (isLocal(connection))
    return {
      ...common,
      local: { operatorId: source.operator.id, port: source.port },
      ...splitOf(connection),
    };
  return {
    ...common,
    remote: {
      address: deps.addressOf(source.operator.slot),
      publisher: publisherOf(connection),
      subscriber: subscriberOf(connection),
    },
  };
}

function publishersOf(operator: PhysicalOperator, deps: OperatorPlansDeps): PublisherPlan[] {
  const publishers = new Map<string, PublisherPlan>();
  for (const connection of deps.plan.connections) {
    if (connection.source.operator !== operator || isLocal(connection)) continue;
    const id = publisherOf(connection);
    publishers.set(id, {
      id,
      port: connection.source.port,
      subscribers: [...(publishers.get(id)?.subscribers ?? []), subscriberOf(connection)],
      ...splitOf(connection),
      queueBytes: deps.queueBytes,
      replayBytes: deps.replayBytes,
    });
  }
  return [...publishers.values()];
}
