import t from 'tap';
import { clusterContract } from '../../../packages/contracts/index.js';
import { flinkCluster } from '../../../packages/flink/index.js';
import { flinkDouble } from '../../doubles/flink/index.js';
import { jarOf } from '../../helpers/class-bytes.js';
import { testFolder } from '../../helpers/folder.js';
import { silentContext } from '../../helpers/local-cluster.js';
import { packageContent } from '../../helpers/package-content.js';

const double = await flinkDouble();
const directory = testFolder(t);
t.teardown(() => double.close());
double.settings['jobmanager.scheduler'] = 'adaptive';

await clusterContract(t, {
  create: async () => {
    // Each test begins with a cluster that runs nothing.
    for (const job of double.jobs.values()) double.end(job, 'CANCELED');
    return flinkCluster({
      jobManagers: double.jobManagers[0]?.url ?? '',
      pollMillis: 100,
      user: 'ann',
      directory,
      limits: { statsEveryMillis: 50 },
    });
  },
  context: async () => silentContext([]),
  property: { operatorName: 'plus one', name: 'parallelism', value: 2, refused: 'many' },
  request: {
    user: 'ann',
    name: 'contract',
    packaged: { name: 'contract', type: 'class', file: 'app/jobs.jar', className: 'org.example.Words' },
    packageContent: packageContent({ 'app/jobs.jar': jarOf([{ name: 'org.example.Words' }]) }),
    application: {
      operators: [
        { name: 'Source: numbers', class: '' },
        { name: 'plus one', class: '' },
      ],
      streams: [
        {
          name: 'numbers',
          source: { operatorName: 'Source: numbers', portName: 'out0' },
          sinks: [{ operatorName: 'plus one', portName: 'in0' }],
        },
      ],
    },
  },
  unknownId: '0123456789abcdef0123456789abcdef',
  windows: 'none',
  timeoutMillis: 20_000,
});
