import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterDriver, JsonApplication } from '../../lib/driver-kit.js';
import {
  checkpointMillis,
  keys,
  type Pipeline,
  type Runner,
  recordsPerLook,
  textBytes,
} from './pipelines.js';

const windowMillis = 500;

/** Runs pipelines in an embedded engine with the operators of `peer-operators.ts`. */
export function embeddedRunner(driver: ClusterDriver): Runner {
  return {
    async start(pipeline, progress) {
      const { resourceManager } = driver;
      if (!resourceManager.launcher) throw new Error('The engine launches');
      const application = applicationOf(pipeline, progress);
      const id = await resourceManager.launcher.launch({ user: 'bench', name: pipeline.kind, application });
      while ((await resourceManager.getApplication(id)).state !== 'RUNNING') await delay(10);
      const master = await driver.master(id);
      const containers = (await master.containers()).filter(
        ({ containerType }) => containerType === 'STREAMING',
      );
      return {
        // The engine itself is in this process.
        pids: () => [process.pid, ...containers.map(({ jvmName }) => Number.parseInt(jvmName, 10))],
        async kill(part) {
          const { operators } = await master.physicalPlan();
          const container = operators.find(({ name }) => name === part)?.container;
          const found = (await master.containers()).find((one) => one.id === container);
          process.kill(Number.parseInt(found?.jvmName ?? '', 10), 'SIGKILL');
        },
        async stop() {
          await resourceManager.kill(id);
          while ((await resourceManager.getApplication(id)).finalStatus === 'UNDEFINED') await delay(20);
        },
      };
    },
  };
}

function applicationOf(pipeline: Pipeline, progress: string): JsonApplication {
  const counter = { progress, every: recordsPerLook(pipeline) };
  const { kind } = pipeline;
  if (kind === 'chain')
    return {
      operators: [
        operator('source', 'Source', { kind: 'numbers' }),
        operator('map', 'Double'),
        operator('count', 'Count', counter),
      ],
      streams: [stream('source', 'map', 'CONTAINER_LOCAL'), stream('map', 'count', 'CONTAINER_LOCAL')],
    };
  if (kind === 'across')
    return {
      operators: [
        operator('source', 'Source', { kind: 'texts', bytes: textBytes }),
        operator('count', 'Count', counter),
      ],
      streams: [stream('source', 'count')],
    };
  const { perSecond, from } = pipeline;
  return {
    attributes: {
      STREAMING_WINDOW_SIZE_MILLIS: windowMillis,
      CHECKPOINT_WINDOW_COUNT: checkpointMillis / windowMillis,
      MAX_CONTAINER_FAILURES: 100,
    },
    operators: [
      operator('source', 'Source', { kind: 'keys', keys, perSecond, from }),
      operator('count', 'KeyedCount', counter),
    ],
    streams: [stream('source', 'count')],
  };
}

const operator = (name: string, type: string, properties = {}) => ({
  name,
  class: `peer.${type}`,
  properties,
});
const stream = (from: string, to: string, locality?: 'CONTAINER_LOCAL') => ({
  name: from,
  source: { operatorName: from, portName: 'out' },
  sinks: [{ operatorName: to, portName: 'in' }],
  ...(locality ? { locality } : {}),
});
