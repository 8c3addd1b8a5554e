import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { createMutex } from 'headgate/runtime';
import { createAccess } from '../access.js';
import type { DeployOrder, ToContainer } from '../processes/protocol.js';
import { answer } from './answers.js';
import { createCheckpointFiles } from './checkpoints.js';
import { loadClasses } from './classes.js';
import { type Deployment, type DeploymentDeps, deploy } from './deployment.js';
import { createExitReport } from './exit-report.js';
import { watchGc } from './gc-watch.js';
import { takeHeartbeat } from './heartbeat.js';
import { createHubPublisher, openPublishChannel } from './hub-publisher.js';
import { createContainerLog } from './log.js';
import { servePublishers } from './publisher-server.js';
import { createReports } from './reports.js';
import { createRotatingFile } from './rotating-file.js';
import { createTopics } from './topics.js';

// A container: a child process that runs operators. It lives as long as the channel to the engine does.

type Init = Extract<ToContainer, { type: 'init' }>;

process.once('message', (first: ToContainer) => {
  if (first.type === 'init') run(first);
});
process.on('disconnect', () => process.exit(0));
new Worker(new URL('./watchdog.js', import.meta.url), {
  workerData: process.ppid,
  resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
}).unref();

function run(init: Init): void {
  const limits = { maxBytes: init.logFileBytes, files: init.logFiles };
  const log = createContainerLog(createRotatingFile(join(init.logDirectory, 'headgate.log'), limits));
  const gc = watchGc(createRotatingFile(join(init.logDirectory, 'gc.log'), limits), init.heapLimitMB);
  redirectOutput(init, limits);
  log.setLevels(init.loggers);
  const own = log.logger('headgate.engine.Container');
  const reports = createReports();
  const hub = createHubPublisher(openPublishChannel(), (message) => own.warn(message));
  let deployment: Deployment | undefined;
  /** Orders are carried out one after the other. */
  const inOrder = createMutex();
  const fail = createExitReport(log, own, { reports, hub });
  const blamed = () => {
    const nodes = deployment?.nodes ?? [];
    return deployment?.meter.current?.id ?? (nodes.length === 1 ? nodes[0]?.id : undefined);
  };
  process.on('uncaughtException', (error) => fail(error, blamed()));
  process.on('unhandledRejection', (error) => fail(error, blamed()));

  const topics = createTopics(reports, (message) => own.warn(message));
  const classes = loadClasses(init.modules, init.packageModules);
  const access = createAccess(init.access);
  const checkpoints = createCheckpointFiles(init.checkpointDirectory);
  const deps = async (order: DeployOrder): Promise<DeploymentDeps> => ({
    applicationId: init.applicationId,
    registry: await (await classes).neededBy(order),
    access,
    checkpoints,
    log,
    reports,
    hub,
    topics,
    fail,
  });

  const metrics = () => takeHeartbeat(deployment, gc);

  async function obey(order: ToContainer): Promise<void> {
    switch (order.type) {
      case 'deploy':
        await deployment?.close();
        deployment = undefined;
        deployment = await deploy(order, await deps(order));
        own.info(
          `Deployed ${order.operators.map(({ name }) => name).join(', ')} after window ${order.window}`,
        );
        return reports.send({ type: 'deployed', epoch: order.epoch });
      case 'start':
        if (deployment?.epoch === order.epoch) deployment.start();
        return reports.send(metrics());
      case 'committed':
        checkpoints.remove(order.remove);
        for (const publisher of deployment?.publishers.values() ?? []) publisher.committed(order.window);
        return;
      case 'checkpointAt':
        return deployment?.checkpointAt(order.window);
      case 'properties':
        return deployment?.change(order);
      case 'holdAfter':
        return deployment?.holdAfter(order.window ?? Infinity);
      case 'loggers':
        return log.setLevels(order.loggers);
      case 'ask':
        return reply(order);
      case 'shutdown':
        return deployment?.shutdown();
      case 'stop':
        // The runtime tells of its last collections when the thread comes around to it.
        await new Promise(setImmediate);
        gc.flush();
        await new Promise<void>((sent) => reports.send(metrics(), sent));
        await deployment?.close();
        await checkpoints.settled();
        await hub.settled();
        own.info('Stopped');
        process.exit(0);
    }
  }

  async function reply({ id, question }: Extract<ToContainer, { type: 'ask' }>): Promise<void> {
    try {
      const value = await answer(question, deployment, metrics);
      reports.send({ type: 'answer', id, value: value ?? null });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      reports.send({ type: 'refusal', id, message: message.slice(0, 4096) });
    }
  }

  process.on('message', (order: ToContainer) => {
    // Not in a row with the others: messages would pile up behind a deployment.
    if (order.type === 'message' || order.type === 'topicRefused') topics.receive(order);
    else inOrder(() => obey(order)).catch((error) => fail(error));
  });

  servePublishers({
    address: init.address,
    publisherOf: (id) => deployment?.publishers.get(id),
    fail,
    async onListening() {
      try {
        await classes;
        own.info(`Container ${init.containerId} of ${init.applicationId}, process ${process.pid}`);
        reports.send({ type: 'ready' });
      } catch (error) {
        fail(error);
      }
    },
  });
  setInterval(() => {
    gc.flush();
    reports.send(metrics());
  }, init.heartbeatMillis);
}

/** What operators print goes to files with a limit; only what the runtime itself prints reaches the descriptors. */
function redirectOutput(init: Init, limits: { maxBytes: number; files: number }): void {
  for (const name of ['stdout', 'stderr'] as const) {
    const file = createRotatingFile(join(init.logDirectory, name), limits);
    process[name].write = (chunk: unknown, ...rest: unknown[]) => {
      file.write(typeof chunk === 'string' ? chunk : Buffer.from(chunk as Uint8Array).toString('utf8'));
      const done = rest.find((item) => typeof item === 'function');
      if (typeof done === 'function') done();
      return true;
    };
  }
}
