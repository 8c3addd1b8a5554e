import { InputOperator, type Operator } from '@headgate/operators';
import type { DeployOrder, InputLink, OperatorPlan, PartitionOf } from '../protocol/protocol.js';
import { Channel } from './channel.js';
import { gatesOf } from './graph.js';
import { InputRoot } from './input-root.js';
import type { OperatorNode } from './node.js';
import type { PartitionKeys } from './partition-keys.js';
import { Publisher } from './publisher.js';
import type { Reports } from './reports.js';
import type { Root } from './scheduler.js';
import type { Sink } from './stream.js';
import { Subscriber } from './subscriber.js';

interface WiringDeps {
  readonly nodes: readonly OperatorNode[];
  readonly keys: PartitionKeys;
  readonly reports: Reports;
  readonly wake: () => void;
  readonly fail: (error: unknown, operatorId?: string) => void;
}

/** What leads into and out of the operators of a deployment. */
interface Wiring {
  readonly publishers: ReadonlyMap<string, Publisher>;
  readonly subscribers: readonly Subscriber[];
  readonly inputs: readonly InputRoot[];
  /** What brings windows: subscribers and inputs. */
  readonly roots: readonly Root[];
}

/** Connects the operators of a container with each other and with other containers. Nothing flows yet. */
export function connect(order: DeployOrder, deps: WiringDeps): Wiring {
  const { nodes, keys } = deps;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const planned = order.operators.flatMap((plan) => {
    const node = byId.get(plan.id);
    return node ? [{ plan, node }] : [];
  });
  const split = (sink: Sink, part: PartitionOf | undefined): Sink => (part ? keys.filter(sink, part) : sink);

  const publishers = new Map<string, Publisher>();
  for (const { plan, node } of planned)
    for (const publisherPlan of plan.publishers) {
      const publisher = new Publisher({
        ...publisherPlan,
        window: order.window,
        onPressure: () => deps.reports.send({ type: 'pressure', epoch: order.epoch }),
        onLost: (lost) => deps.reports.send({ type: 'replayLost', operatorId: plan.id, ...lost }),
        onRoom: deps.wake,
      });
      publishers.set(publisher.id, publisher);
      node.outputs.get(publisherPlan.port)?.add(split(publisher, publisherPlan.split));
    }

  const remote: (() => Subscriber)[] = [];
  for (const { plan, node } of planned)
    for (const link of plan.inputs) {
      const channel = new Channel(node, link.port, link.label ?? link.port, plan.queueCapacity);
      node.channels.push(channel);
      if (link.local)
        byId.get(link.local.operatorId)?.outputs.get(link.local.port)?.add(split(channel, link.split));
      else if (link.remote && !plan.finished) {
        const source = link.remote;
        remote.push(() => subscriberFor(channel, source, plan));
      }
    }

  function subscriberFor(
    channel: Channel,
    source: NonNullable<InputLink['remote']>,
    plan: OperatorPlan,
  ): Subscriber {
    const gates = gatesOf(nodes, [channel]);
    return new Subscriber({
      ...source,
      window: order.window,
      channel,
      gatesOpen: () => gates.every((gate) => gate.isOpen()),
      wake: deps.wake,
      fail: (error) => deps.fail(error, plan.id),
    });
  }

  // What asks a source to wait is known when all of it is connected.
  const subscribers = remote.map((make) => make());
  const inputs = planned.flatMap(({ plan, node }) =>
    plan.inputs.length === 0 && isInput(node.operator) ? [inputRoot(node, node.operator, nodes, order)] : [],
  );
  return { publishers, subscribers, inputs, roots: [...subscribers, ...inputs] };
}

function inputRoot(
  node: OperatorNode,
  operator: InputOperator,
  nodes: readonly OperatorNode[],
  order: DeployOrder,
): InputRoot {
  const gates = gatesOf(
    nodes,
    [...node.outputs.values()].flatMap((port) => port.sinks),
  );
  const root = new InputRoot({
    node,
    operator,
    clock: order.clock,
    spinMillis: order.spinMillis,
    gatesOpen: () => gates.every((gate) => gate.isOpen()),
  });
  root.draining = order.draining;
  return root;
}

const isInput = (operator: Operator): operator is InputOperator =>
  operator instanceof InputOperator ||
  ('emitTuples' in operator && typeof operator.emitTuples === 'function');
