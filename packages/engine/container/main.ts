import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { createAccess } from '../access/access.js';
import type { ToContainer } from '../protocol/protocol.js';
import { createCheckpointFiles } from './checkpoints.js';
import { loadClasses } from './classes.js';
import { createDeployments } from './deployments.js';
import { createExitReport } from './exit-report.js';
import { watchGc } from './gc-watch.js';
import { takeHeartbeat } from './heartbeat.js';
import { createHubPublisher, openPublishChannel } from './hub-publisher.js';
import { createContainerLog } from './log.js';
import { createOrders } from './orders.js';
import { servePublishers } from './publisher-server.js';
import { createReports } from './reports.js';
import { createRotatingFile } from './rotating-file.js';
import { createTopics } from './topics.js';

// A container: a child process that runs operators. It lives as long as the channel to the engine does. Its files lie
// together, as `../programs/programs.ts` writes them.

type Init = Extract<ToContainer, { type: 'init' }>;

process.once('message', (first: ToContainer) => {
  if (first.type === 'init') run(first);
});
process.on('disconnect', () => process.exit(0));
new Worker(new URL('./watchdog.mjs', import.meta.url), {
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
  const deployments = createDeployments();
  const fail = createExitReport(log, own, { reports, hub });
  process.on('uncaughtException', (error) => fail(error, deployments.blamed));
  process.on('unhandledRejection', (error) => fail(error, deployments.blamed));

  const topics = createTopics(reports, (message) => own.warn(message));
  const classes = loadClasses(init.modules, init.packageModules);
  const orders = createOrders({
    applicationId: init.applicationId,
    access: createAccess(init.access),
    checkpoints: createCheckpointFiles(init.checkpointDirectory),
    registryFor: async (order) => (await classes).neededBy(order),
    deployments,
    log,
    own,
    gc,
    reports,
    hub,
    topics,
    fail,
  });
  process.on('message', (order: ToContainer) => {
    // Not in a row with the others: messages would pile up behind a deployment.
    if (order.type === 'message' || order.type === 'topicRefused') topics.receive(order);
    else orders.add(order);
  });

  servePublishers({
    address: init.address,
    publisherOf: (id) => deployments.current?.publishers.get(id),
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
    reports.send(takeHeartbeat(deployments.current, gc));
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
