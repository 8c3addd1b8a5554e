import type { OperatorLog } from '@headgate/operators';
import { createMutex } from 'headgate/runtime';
import type { DeployOrder, ToContainer } from '../protocol/protocol.js';
import { answer } from './answers.js';
import { type DeploymentDeps, deploy } from './deployment.js';
import type { Deployments } from './deployments.js';
import type { GcWatch } from './gc-watch.js';
import { takeHeartbeat } from './heartbeat.js';

interface OrdersDeps extends Omit<DeploymentDeps, 'registry'> {
  readonly deployments: Deployments;
  readonly registryFor: (order: DeployOrder) => Promise<DeploymentDeps['registry']>;
  readonly gc: GcWatch;
  /** The log of the container itself. */
  readonly own: OperatorLog;
}

/** What the engine wants of a container, carried out one after the other. */
interface Orders {
  add(order: ToContainer): void;
}

export function createOrders(deps: OrdersDeps): Orders {
  const { deployments, checkpoints, reports, own, gc } = deps;
  const inOrder = createMutex();
  const metrics = () => takeHeartbeat(deployments.current, gc);

  async function obey(order: ToContainer): Promise<void> {
    const { current } = deployments;
    switch (order.type) {
      case 'deploy':
        return deployed(order);
      case 'start':
        if (current?.epoch === order.epoch) current.start();
        return reports.send(metrics());
      case 'committed':
        checkpoints.remove(order.remove);
        for (const publisher of current?.publishers.values() ?? []) publisher.committed(order.window);
        return;
      case 'checkpointAt':
        return current?.checkpointAt(order.window);
      case 'properties':
        return current?.change(order);
      case 'holdAfter':
        return current?.holdAfter(order.window ?? Infinity);
      case 'loggers':
        return deps.log.setLevels(order.loggers);
      case 'ask':
        return reply(order);
      case 'shutdown':
        return current?.shutdown();
      case 'stop':
        return stop();
    }
  }

  async function deployed(order: DeployOrder): Promise<void> {
    await deployments.replace(async () =>
      deploy(order, { ...deps, registry: await deps.registryFor(order) }),
    );
    own.info(`Deployed ${order.operators.map(({ name }) => name).join(', ')} after window ${order.window}`);
    reports.send({ type: 'deployed', epoch: order.epoch });
  }

  async function reply({ id, question }: Extract<ToContainer, { type: 'ask' }>): Promise<void> {
    try {
      const value = await answer(question, deployments.current, metrics);
      reports.send({ type: 'answer', id, value: value ?? null });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      reports.send({ type: 'refusal', id, message: message.slice(0, 4096) });
    }
  }

  async function stop(): Promise<void> {
    // The runtime tells of its last collections when the thread comes around to it.
    await new Promise(setImmediate);
    gc.flush();
    await new Promise<void>((sent) => reports.send(metrics(), sent));
    await deployments.current?.close();
    await checkpoints.settled();
    await deps.hub.settled();
    own.info('Stopped');
    process.exit(0);
  }

  return {
    add(order) {
      inOrder(() => obey(order)).catch((error) => deps.fail(error));
    },
  };
}
