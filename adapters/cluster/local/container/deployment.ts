import { InputOperator, type Operator } from '../operator.js';
import type { DeployOrder, ToContainer } from '../processes/protocol.js';
import { classOf } from '../registry.js';
import { Channel } from './channel.js';
import { gatesOf } from './graph.js';
import { InputRoot } from './input-root.js';
import { Meter } from './meter.js';
import type { OperatorNode } from './node.js';
import { makeNode, type NodeDeps } from './node-making.js';
import { createPartitionKeys } from './partition-keys.js';
import { Publisher } from './publisher.js';
import { createRecorder, type Recorder } from './recorder.js';
import { createScheduler, type Root, type Scheduler } from './scheduler.js';
import { Subscriber } from './subscriber.js';

export type DeploymentDeps = NodeDeps;

/** The operators of this container from one deployment to the next. */
export interface Deployment {
  readonly epoch: number;
  readonly nodes: readonly OperatorNode[];
  readonly meter: Meter<OperatorNode>;
  readonly publishers: ReadonlyMap<string, Publisher>;
  readonly recorder: Recorder;
  start(): void;
  shutdown(): void;
  checkpointAt(window: number): void;
  /** Other properties, from a window on. */
  change(order: Extract<ToContainer, { type: 'properties' }>): void;
  /** Inputs begin no more windows. Returns the newest window that anybody here has begun. */
  hold(): number;
  /** Inputs go on until the end of this window; `Infinity`: without end. */
  holdAfter(window: number): void;
  close(): Promise<void>;
}

/** Makes the operators, sets them up and restores them. Nothing flows before `start`. */
export async function deploy(order: DeployOrder, deps: DeploymentDeps): Promise<Deployment> {
  const meter = new Meter<OperatorNode>();
  const extra = new Set<number>();
  const subscriptions: (() => void)[] = [];
  let scheduler: Scheduler | undefined;
  const wake = () => scheduler?.wake();
  const nodes: OperatorNode[] = [];
  for (const plan of order.operators)
    nodes.push(await makeNode(plan, order, deps, { meter, extra, subscriptions }));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const publishers = new Map<string, Publisher>();
  const subscribers: Subscriber[] = [];
  const roots: Root[] = [];
  const inputs: InputRoot[] = [];
  const keys = createPartitionKeys(deps.registry);

  for (const plan of order.operators) {
    const node = byId.get(plan.id);
    for (const publisherPlan of plan.publishers) {
      const publisher = new Publisher({
        ...publisherPlan,
        window: order.window,
        onPressure: () => deps.reports.send({ type: 'pressure', epoch: order.epoch }),
        onLost: (lost) => deps.reports.send({ type: 'replayLost', operatorId: plan.id, ...lost }),
        onRoom: wake,
      });
      publishers.set(publisher.id, publisher);
      const sink = publisherPlan.split ? keys.filter(publisher, publisherPlan.split) : publisher;
      node?.outputs.get(publisherPlan.port)?.add(sink);
    }
  }
  const connections: (() => void)[] = [];
  for (const plan of order.operators) {
    const node = byId.get(plan.id);
    if (!node) continue;
    for (const link of plan.inputs) {
      const channel = new Channel(node, link.port, link.label ?? link.port, plan.queueCapacity);
      node.channels.push(channel);
      if (link.local) {
        const sink = link.split ? keys.filter(channel, link.split) : channel;
        byId.get(link.local.operatorId)?.outputs.get(link.local.port)?.add(sink);
      } else if (link.remote && !plan.finished) {
        const { remote } = link;
        connections.push(() => {
          const gates = gatesOf(nodes, [channel]);
          const subscriber = new Subscriber({
            ...remote,
            window: order.window,
            channel,
            gatesOpen: () => gates.every((gate) => gate.isOpen()),
            wake,
            fail: (error) => deps.fail(error, plan.id),
          });
          subscribers.push(subscriber);
          roots.push(subscriber);
        });
      }
    }
  }
  for (const connect of connections) connect();
  for (const plan of order.operators) {
    const node = byId.get(plan.id);
    if (!node || plan.inputs.length > 0 || !isInput(node.operator)) continue;
    const gates = gatesOf(
      nodes,
      [...node.outputs.values()].flatMap((port) => port.sinks),
    );
    const root = new InputRoot({
      node,
      operator: node.operator,
      clock: order.clock,
      spinMillis: order.spinMillis,
      gatesOpen: () => gates.every((gate) => gate.isOpen()),
    });
    root.draining = order.draining;
    inputs.push(root);
    roots.push(root);
  }
  await deps.checkpoints.settled();
  const log = deps.log.logger('headgate.engine.Container');
  const recorder = createRecorder({
    clock: order.clock,
    reports: deps.reports,
    topics: deps.topics,
    log,
  });

  return {
    epoch: order.epoch,
    nodes,
    meter,
    publishers,
    recorder,
    start() {
      scheduler = createScheduler({
        roots,
        meter,
        flush: () => {
          let sent = false;
          for (const publisher of publishers.values()) if (publisher.flush()) sent = true;
          return sent;
        },
        fail: (error) => deps.fail(error, meter.current?.id),
      });
      for (const plan of order.operators) {
        const node = byId.get(plan.id);
        if (plan.finished && node) for (const port of node.outputs.values()) port.eos();
      }
      for (const subscriber of subscribers) subscriber.open();
      scheduler.wake();
    },
    shutdown() {
      for (const root of inputs) root.draining = true;
      wake();
    },
    change({ window, operators, readers }) {
      for (const { id, properties } of operators) {
        const plan = order.operators.find((operator) => operator.id === id);
        if (!plan) continue;
        const { properties: schema } = classOf(plan.className, deps.registry);
        byId.get(id)?.changeFrom(window, schema.parse(properties));
      }
      for (const { name, properties } of readers) keys.changeFrom(window, name, properties);
    },
    checkpointAt(window) {
      extra.add(window);
    },
    hold() {
      for (const root of inputs) root.holdAfter = root.newest;
      return Math.max(...nodes.map(({ window }) => window), ...inputs.map(({ newest }) => newest));
    },
    holdAfter(window) {
      for (const root of inputs) root.holdAfter = window;
      wake();
    },
    async close() {
      scheduler?.stop();
      await recorder.close();
      for (const subscriber of subscribers) subscriber.close();
      for (const publisher of publishers.values()) publisher.close();
      for (const end of subscriptions) end();
      for (const node of nodes) await node.operator.teardown();
    },
  };
}

const isInput = (operator: Operator): operator is InputOperator =>
  operator instanceof InputOperator ||
  ('emitTuples' in operator && typeof operator.emitTuples === 'function');
