import { test } from 'node:test';
import { clusterContract } from '@headgate/contracts';
import { memoryStorage } from 'headgate/storage/memory';
import { pipelineCluster } from './cluster.js';
import { programs } from './programs.js';

const nothing = () => {};
const context = {
  storage: memoryStorage(),
  logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  clock: { now: Date.now, monotonic: () => performance.now() },
  publish: () => false,
  subscribe: () => nothing,
  subscribeFor: () => undefined,
};

test('pipelines keep what a cluster driver promises', async (t) => {
  await clusterContract(t, {
    create: async () => pipelineCluster({ programs }),
    context: async () => context,
    request: {
      user: 'ann',
      name: 'ticks',
      application: {
        operators: [
          { name: 'clock', class: 'Clock', properties: { arguments: [50] } },
          { name: 'odd', class: 'Grep', properties: { arguments: '[13579]$' } },
        ],
        streams: [
          {
            name: 'ticks',
            source: { operatorName: 'clock', portName: 'out' },
            sinks: [{ operatorName: 'odd', portName: 'in' }],
          },
        ],
      },
    },
    unknownId: 'application_1_0001',
  });
});
