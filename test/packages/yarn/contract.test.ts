import t from 'tap';
import { clusterContract } from '../../../packages/contracts/index.js';
import { yarnCluster } from '../../../packages/yarn/index.js';
import { yarnDouble } from '../../doubles/yarn/index.js';
import { silentContext } from '../../helpers/local-cluster.js';
import { pipeline } from '../../helpers/yarn.js';

const double = await yarnDouble();
t.teardown(() => double.close());

await clusterContract(t, {
  create: async () => {
    // Each test begins with a cluster that runs nothing.
    for (const application of double.apps.values()) application.end('KILLED', 'KILLED');
    return yarnCluster({
      resourceManager: double.managers[0]?.url ?? '',
      files: double.files.nameNode.url,
      cli: double.cli(),
    });
  },
  context: async () => silentContext([]),
  request: {
    user: 'ann',
    name: 'contract',
    application: {
      ...pipeline().application,
      attributes: { STREAMING_WINDOW_SIZE_MILLIS: 100, ENABLE_STATS_RECORDING: true },
    },
  },
  property: { operatorName: 'rand', name: 'tuplesBlast', value: 20, refused: 'many' },
  unknownId: 'application_1_0001',
  // The engine reads Java's beans, one way in its plan and another in its operators; its REST API ends with the master.
  values: 'text',
  afterTheEnd: 'lost',
  timeoutMillis: 20_000,
});
