import { classOf } from '../operators/registry.js';
import type { DeployOrder, ToContainer } from '../protocol/protocol.js';
import { Meter } from './meter.js';
import type { OperatorNode } from './node.js';
import { makeNode, type NodeDeps } from './node-making.js';
import { createPartitionKeys } from './partition-keys.js';
import type { Publisher } from './publisher.js';
import { createRecorder, type Recorder } from './recorder.js';
import { createScheduler, type Scheduler } from './scheduler.js';
import { connect } from './wiring.js';

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
  const keys = createPartitionKeys(deps.registry);

  const { publishers, subscribers, inputs, roots } = connect(order, {
    nodes,
    keys,
    reports: deps.reports,
    wake,
    fail: deps.fail,
  });
  await deps.checkpoints.settled();
  const log = deps.log.logger('headgate.engine.Container');
  const recorder = createRecorder({
    clock: order.clock,
    reports: deps.reports,
    hub: deps.hub,
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
        flush: () => flushAll(publishers.values()),
        fail: (error) => deps.fail(error, meter.current?.id),
      });
      for (const { id, finished } of order.operators)
        if (finished) for (const port of byId.get(id)?.outputs.values() ?? []) port.eos();
      for (const subscriber of subscribers) subscriber.open();
      scheduler.wake();
    },
    shutdown() {
      for (const root of inputs) root.draining = true;
      wake();
    },
    change({ window, operators, readers }) {
      for (const { id, properties } of operators) {
        const schema = propertiesOf(id, order, deps.registry);
        if (schema) byId.get(id)?.changeFrom(window, schema.parse(properties));
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

/** Whether any of them had something to send. */
function flushAll(publishers: Iterable<Publisher>): boolean {
  let sent = false;
  for (const publisher of publishers) if (publisher.flush()) sent = true;
  return sent;
}

/** The schema of an operator's properties; `undefined` when it is not deployed here. */
function propertiesOf(id: string, { operators }: DeployOrder, registry: DeploymentDeps['registry']) {
  const plan = operators.find((operator) => operator.id === id);
  return plan && classOf(plan.className, registry).properties;
}
