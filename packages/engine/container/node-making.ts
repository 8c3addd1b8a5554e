import type { Operator, OperatorAccess, OperatorClass, OperatorContext } from '@headgate/operators';
import { windowId } from '../model/windows.js';
import { classOf, type OperatorRegistry } from '../operators/registry.js';
import type { DeployOrder, OperatorPlan } from '../protocol/protocol.js';
import type { CheckpointFiles } from './checkpoints.js';
import type { HubPublisher } from './hub-publisher.js';
import type { ContainerLog } from './log.js';
import type { Meter } from './meter.js';
import { OperatorNode } from './node.js';
import type { Reports } from './reports.js';
import { keptOf, startOperator } from './restoring.js';
import type { Topics } from './topics.js';

export interface NodeDeps {
  readonly applicationId: string;
  readonly registry: OperatorRegistry<OperatorClass>;
  readonly access: OperatorAccess;
  readonly checkpoints: CheckpointFiles;
  readonly log: ContainerLog;
  readonly reports: Reports;
  readonly hub: HubPublisher;
  readonly topics: Topics;
  readonly fail: (error: unknown, operatorId?: string) => void;
}

/** What the operators of one deployment have in common. */
interface Shared {
  readonly meter: Meter<OperatorNode>;
  /** Windows after which state is kept out of turn. */
  readonly extra: ReadonlySet<number>;
  /** Ended with the deployment. */
  readonly subscriptions: (() => void)[];
}

/** Makes an operator, sets it up and restores it. One that can't be is reported, and a bare one stands in its place. */
export async function makeNode(
  plan: OperatorPlan,
  order: DeployOrder,
  deps: NodeDeps,
  shared: Shared,
): Promise<OperatorNode> {
  const type = classOf(plan.className, deps.registry);
  const save = (node: OperatorNode, window: number, finished: boolean) => {
    const startedAt = Date.now();
    const began = performance.now();
    let saved: Promise<string | undefined> = Promise.resolve(undefined);
    shared.meter.exactly(node, () => {
      const name = `${plan.id}-${window}-${order.epoch}${finished ? '-end' : ''}`;
      saved = deps.checkpoints.save(name, keptOf(node.operator));
    });
    saved.then(
      (file) =>
        deps.reports.send({
          type: 'checkpointed',
          epoch: order.epoch,
          operatorId: plan.id,
          window,
          ...(file === undefined ? {} : { file }),
          startedAt,
          millis: performance.now() - began,
          finished,
        }),
      (error) => deps.fail(error, plan.id),
    );
  };
  const operator = await started(plan, order, deps, shared.subscriptions).catch((error) => {
    deps.fail(error, plan.id);
    return undefined;
  });
  const node = new OperatorNode({
    id: plan.id,
    operator: operator ?? new type(),
    meter: shared.meter,
    window: order.window,
    outputs: Object.keys(type.outputs),
    windowId: (window) => windowId(order.clock, window),
    checkpointDue: (window) =>
      (window + 1) % order.checkpointEvery === 0 || (shared.extra.size > 0 && shared.extra.has(window)),
    save,
  });
  node.finished = plan.finished;
  if (operator && plan.stateFile === undefined && plan.isFirst) save(node, order.window, false);
  return node;
}

/** Set up, and restored where there is a checkpoint. */
async function started(
  plan: OperatorPlan,
  order: DeployOrder,
  deps: NodeDeps,
  subscriptions: (() => void)[],
): Promise<Operator> {
  const type = classOf(plan.className, deps.registry);
  const log = deps.log.logger(plan.className);
  const own: (() => void)[] = [];
  const subscribe: OperatorContext['subscribe'] = (topic, receive) => {
    const end = deps.topics.subscribe(topic, (data) => {
      try {
        receive(data);
      } catch (error) {
        deps.fail(error, plan.id);
      }
    });
    own.push(end);
    subscriptions.push(end);
    return end;
  };
  return startOperator({
    type,
    properties: type.properties.parse(plan.properties),
    kept: plan.stateFile === undefined ? undefined : await deps.checkpoints.load(plan.stateFile),
    warn: log.warn,
    make() {
      const operator = new type();
      operator.context = {
        applicationId: deps.applicationId,
        operatorId: plan.id,
        operatorName: plan.name,
        partition: plan.partition,
        attributes: plan.attributes,
        log,
        publish: deps.hub.publish,
        subscribe,
        windowMillis: order.clock.widthMillis,
        access: deps.access,
      };
      return operator;
    },
    async discard(operator) {
      for (const end of own.splice(0)) end();
      await Promise.resolve()
        .then(() => operator.teardown())
        .catch(() => {});
    },
  });
}
